// The call `contract`: batches of matrix products with bias, addend and activation, and what gradients need besides.
#include "runtime/abi/calls.h"
#include "runtime/abi/narrow_product.h"
#include "runtime/cuda/contract_step.h"
#include "runtime/cuda/product_types.h"

namespace sheaf::rt::cuda {
namespace {

/// Of 8-bit floats: by the units for them, where the library has a way.
BoundStep bindNarrow(CudaCallSite &site, const ContractParams &params, const ContractPlan &plan,
                     const ContractPlaces &places) {
  // A bias that the library does not add to a product of 8-bit floats, it adds to one of wider types.
  bool isWidened = params.hasBias && !abi::addsNarrowBias(plan.resultType);
  BoundStep step =
      isWidened ? std::unique_ptr<Step>() : bindLibraryContract(site, params, plan, places);
  return step.isOk() && !*step ? bindWidenedContract(site, params, places) : std::move(step);
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
  bool isNarrow = abi::multipliesNarrow(types.lhs, types.rhs, types.result);
  if (Status status = isNarrow ? Status() : types.check(plan->activation); !status.isOk())
    return status;
  if (!types.isFloat() && plan->alpha != 1)
    return Status::invalid("integers have no alpha");
  Result<ContractPlaces> places = ContractPlaces::find(site, params, *plan);
  if (!places.isOk())
    return places.takeStatus();
  bool isEmpty = site.outs[0].shape.elements() == 0;
  if (isEmpty && params.sums == ContractSums::none)
    return makeStep([](void *const *, std::byte *) {});
  if (isNarrow)
    return bindNarrow(site, params, *plan, *places);
  BoundStep step =
      isEmpty ? std::unique_ptr<Step>() : bindLibraryContract(site, params, *plan, *places);
  return step.isOk() && !*step ? bindContractKernel(site, params, *plan, *places) : std::move(step);
}

const RegisteredCall<bind> registered({.name = abi::calls::contract,
                                       .minIns = 2,
                                       .maxIns = 6,
                                       .numOuts = 0,
                                       .takesStrides = true,
                                       .checksInPlace = true});

} // namespace
} // namespace sheaf::rt::cuda
