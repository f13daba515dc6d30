// The call `topk`: the first elements of a sort along one dim.
#include "runtime/abi/calls.h"
#include "runtime/host/lane_sort.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<SortPlan> plan = SortPlan::ofTopk(site);
  return plan.isOk() ? bindLaneSort(site, *plan) : plan.takeStatus();
}

const RegisteredCall registered({.name = abi::calls::topk, .numOuts = 2, .takesStrides = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
