// The call `topk`: the first elements of a sort along one dim.
#include "runtime/abi/calls.h"
#include "runtime/cuda/lane_order.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<SortPlan> plan = SortPlan::ofTopk(site);
  return plan.isOk() ? bindLaneOrder(site, *plan) : plan.takeStatus();
}

const RegisteredCall<bind>
    registered({.name = abi::calls::topk, .numOuts = 2, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
