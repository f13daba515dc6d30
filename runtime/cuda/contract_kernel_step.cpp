// Multiplies by kernels/contract.cu.
#include "runtime/cuda/contract_rest.h"
#include "runtime/cuda/contract_step.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/product_types.h"

namespace sheaf::rt::cuda {
namespace {

ContractParameters parametersOf(const ContractPlan &plan) {
  StridedSpace<3> batch;
  for (const ContractPlan::BatchDim &dim : plan.batch)
    batch.dims.push_back({dim.extent, {dim.lhsStride, dim.rhsStride, dim.resultStride}});
  return {.batch = toParameter(std::move(batch)),
          .m = plan.m,
          .n = plan.n,
          .k = plan.k,
          .lhsStrideM = plan.lhsStrideM,
          .lhsStrideK = plan.lhsStrideK,
          .rhsStrideK = plan.rhsStrideK,
          .rhsStrideN = plan.rhsStrideN,
          .resultStrideM = plan.resultStrideM,
          .resultStrideN = plan.resultStrideN,
          .alpha = plan.alpha,
          .activation = static_cast<ActivationKind>(plan.activation)};
}

/// With what gradients need.
BoundStep bindFloats(CudaCallSite &site, const Elementwise &kernel, const ContractParams &params,
                     const ContractPlan &plan, const ContractPlaces &places) {
  ContractEpilogue epilogue = ContractEpilogue::least(params, places);
  ContractParameters parameters = parametersOf(plan);
  if (params.keepsPreactivation)
    parameters.activation = ActivationKind::none;
  else
    epilogue.rest.activation = Activation::none; // The kernel does it.
  Result<RestOfContract> rest = bindRest(site, plan, places, epilogue);
  if (!rest.isOk())
    return rest.takeStatus();
  return makeStep([kernel, parameters, places, product = epilogue.product,
                   rest = std::move(*rest)](void *const *buffers, std::byte *) {
    Status status = kernel(parameters, buffers[0], buffers[1], bufferAt(buffers, places.bias),
                           bufferAt(buffers, places.addend), bufferAt(buffers, places.factors),
                           buffers[product]);
    if (status.isOk() && rest)
      return rest(buffers);
    return status;
  });
}

} // namespace

BoundStep bindContractKernel(CudaCallSite &site, const ContractParams &params,
                             const ContractPlan &plan, const ContractPlaces &places) {
  ProductTypes types{plan.resultType, plan.lhsType, plan.rhsType};
  int64_t count = site.outs[0].shape.elements();
  Result<Elementwise> kernel =
      Elementwise::find(site, "contract", types.kernelName("contract"), count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  if (types.isFloat())
    return bindFloats(site, *kernel, params, plan, places);
  return makeStep([kernel = *kernel, parameters = parametersOf(plan), places,
                   lhs = integerType(plan.lhsType), rhs = integerType(plan.rhsType),
                   result = integerType(plan.resultType)](void *const *buffers, std::byte *) {
    return kernel(parameters, lhs, rhs, result, buffers[0], buffers[1],
                  bufferAt(buffers, places.bias), bufferAt(buffers, places.addend),
                  buffers[places.result]);
  });
}

} // namespace sheaf::rt::cuda
