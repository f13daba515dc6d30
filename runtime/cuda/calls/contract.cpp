// The call `contract`: batches of matrix products with bias, addend and activation, and what gradients need besides.
#include "runtime/abi/calls.h"
#include "runtime/cuda/contract_rest.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/product_types.h"

namespace sheaf::rt::cuda {
namespace {

const void *bufferAt(void *const *buffers, std::optional<size_t> place) {
  return place ? buffers[*place] : nullptr;
}

//===--- By cuBLASLt -----------------------------------------------------------===//

/// Bytes that the first element of a buffer is known to be aligned to.
uint32_t alignmentOf(const Operand &operand) {
  constexpr uint64_t known = abi::blockAlignment; // of every base
  uint64_t offset = static_cast<uint64_t>(operand.offset) | known;
  return static_cast<uint32_t>(offset & (~offset + 1));
}

/// The dims of the batch that the library does not walk, as offsets in bytes of lhs, rhs and result.
std::vector<std::array<int64_t, 3>> outerOffsets(const ContractProblem &problem,
                                                 const ContractPlan &plan) {
  std::vector<std::array<int64_t, 3>> offsets{{0, 0, 0}};
  for (const ContractPlan::BatchDim &dim : problem.outer) {
    std::vector<std::array<int64_t, 3>> next;
    for (const auto &offset : offsets)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back({offset[0] + i * dim.lhsStride * abi::bytesOf(plan.lhsType),
                        offset[1] + i * dim.rhsStride * abi::bytesOf(plan.rhsType),
                        offset[2] + i * dim.resultStride * abi::bytesOf(plan.resultType)});
    offsets = std::move(next);
  }
  return offsets;
}

class LtContractStep final : public Step {
public:
  LtContractStep(std::unique_ptr<LtMatmul> matmul, const ContractProblem &problem,
                 const ContractPlan &plan, const ContractPlaces &places,
                 const ContractEpilogue &epilogue, RestOfContract rest, cudaStream_t queue)
      : matmul(std::move(matmul)), isSwapped(problem.isSwapped),
        offsets(outerOffsets(problem, plan)), alpha(plan.alpha), addendPlace(places.addend),
        epilogue(epilogue), rest(std::move(rest)), queue(queue) {}

  Status run(void *const *buffers, std::byte *scratch) override {
    for (const auto &[lhsAt, rhsAt, resultAt] : offsets) {
      const auto *lhs = static_cast<const std::byte *>(buffers[0]) + lhsAt;
      const auto *rhs = static_cast<const std::byte *>(buffers[1]) + rhsAt;
      auto *result = static_cast<std::byte *>(buffers[epilogue.product]) + resultAt;
      const auto *addend = static_cast<const std::byte *>(bufferAt(buffers, addendPlace));
      LtOperands operands{isSwapped ? rhs : lhs,
                          isSwapped ? lhs : rhs,
                          addend ? addend + resultAt : result,
                          result,
                          bufferAt(buffers, epilogue.vector),
                          bufferAt(buffers, epilogue.auxiliary)};
      if (Status status = matmul->run(operands, alpha, addend ? 1 : 0, scratch, queue);
          !status.isOk())
        return status;
    }
    return rest ? rest(buffers) : Status();
  }

  size_t scratchBytes() const override { return matmul->workspaceBytes(); }

private:
  std::unique_ptr<LtMatmul> matmul;
  bool isSwapped;
  std::vector<std::array<int64_t, 3>> offsets;
  double alpha;
  std::optional<size_t> addendPlace;
  ContractEpilogue epilogue;
  RestOfContract rest;
  cudaStream_t queue;
};

/// Null when cuBLASLt has no way to compute it with this epilogue.
BoundStep bindEpilogue(CudaCallSite &site, ContractProblem problem, const ContractPlan &plan,
                       const ContractPlaces &places, const ContractEpilogue &epilogue) {
  // Kernels have activations of no more than 32 bits.
  if (epilogue.rest.activation != Activation::none && plan.resultType == abi::ElementType::f64)
    return std::unique_ptr<Step>();
  auto alignmentAt = [&](size_t place) {
    return alignmentOf(place < site.ins.size() ? site.ins[place]
                                               : site.outs[place - site.ins.size()]);
  };
  LtProblem &product = problem.product;
  product.epilogue = epilogue.kind;
  if (epilogue.vector)
    product.vectorAlignment = alignmentAt(*epilogue.vector);
  if (epilogue.auxiliary) {
    product.auxiliaryLeading = product.d.leading;
    product.auxiliaryAlignment = alignmentAt(*epilogue.auxiliary);
  }
  Result<LtMatmuls *> library = site.device.matmuls();
  if (!library.isOk())
    return library.takeStatus();
  Result<std::unique_ptr<LtMatmul>> matmul = (*library)->bind(product);
  if (!matmul.isOk())
    return matmul.takeStatus();
  if (!*matmul)
    return std::unique_ptr<Step>();
  Result<RestOfContract> rest = bindRest(site, plan, places, epilogue);
  if (!rest.isOk())
    return rest.takeStatus();
  return std::unique_ptr<Step>(std::make_unique<LtContractStep>(
      std::move(*matmul), problem, plan, places, epilogue, std::move(*rest), site.queue));
}

/// Null when cuBLASLt has no way to compute it.
BoundStep bindLibrary(CudaCallSite &site, const ContractParams &params, const ContractPlan &plan,
                      const ContractPlaces &places) {
  const ContractEpilogue least = ContractEpilogue::least(params, places);
  const Operand &written =
      site.outs[least.product - site.ins.size()]; // The preactivation where that comes first.
  uint32_t resultAlignment = std::min(alignmentOf(site.outs[0]), alignmentOf(written));
  std::optional<ContractProblem> problem =
      contractProblem(plan, {alignmentOf(site.ins[0]), alignmentOf(site.ins[1]), resultAlignment},
                      params.allowsTf32);
  // Its bias runs along the rows of what it writes: of the transposed result.
  if (!problem || (params.hasBias && !problem->isSwapped))
    return std::unique_ptr<Step>();
  const ContractEpilogue whole = ContractEpilogue::whole(params, plan, *problem, places);
  BoundStep step = bindEpilogue(site, *problem, plan, places, whole);
  if (!step.isOk() || *step || whole.kind == least.kind)
    return step;
  return bindEpilogue(site, *problem, plan, places, least);
}

//===--- By our own kernel -----------------------------------------------------===//

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

/// Of floats, with what gradients need.
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
                           bufferAt(buffers, places.addend), buffers[product]);
    if (status.isOk() && rest)
      return rest(buffers);
    return status;
  });
}

BoundStep bindKernel(CudaCallSite &site, const ContractParams &params, const ContractPlan &plan,
                     const ContractPlaces &places) {
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

BoundStep bind(CudaCallSite &site) {
  ContractParams params = ContractParams::read(site.params);
  if (Status status = checkContractSite(site, params); !status.isOk())
    return status;
  Result<ContractPlan> plan =
      ContractPlan::make(params, site.ins[0].shape, site.ins[1].shape, site.outs[0].shape);
  if (!plan.isOk())
    return plan.takeStatus();
  ProductTypes types{plan->resultType, plan->lhsType, plan->rhsType};
  if (Status status = types.check(plan->activation); !status.isOk())
    return status;
  if (!types.isFloat() && plan->alpha != 1)
    return Status::invalid("integers have no alpha");
  Result<ContractPlaces> places = ContractPlaces::find(site, params, *plan);
  if (!places.isOk())
    return places.takeStatus();
  bool isEmpty = site.outs[0].shape.elements() == 0;
  if (isEmpty && params.sums == ContractSums::none)
    return makeStep([](void *const *, std::byte *) {});
  BoundStep step = isEmpty ? std::unique_ptr<Step>() : bindLibrary(site, params, *plan, *places);
  return step.isOk() && !*step ? bindKernel(site, params, *plan, *places) : std::move(step);
}

const RegisteredCall<bind> registered({.name = abi::calls::contract,
                                       .minIns = 2,
                                       .maxIns = 4,
                                       .numOuts = 0,
                                       .takesStrides = true,
                                       .checksInPlace = true});

} // namespace
} // namespace sheaf::rt::cuda
