// The call `sort`: stable, along one dim.
#include "runtime/abi/calls.h"
#include "runtime/cuda/lane_order.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<SortPlan> plan = SortPlan::ofSort(site);
  return plan.isOk() ? bindLaneOrder(site, *plan) : plan.takeStatus();
}

const RegisteredCall<bind>
    registered({.name = abi::calls::sort, .numOuts = 2, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
