// The call `sort`: stable, along one dim.
#include "runtime/abi/calls.h"
#include "runtime/host/lane_sort.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<SortPlan> plan = SortPlan::ofSort(site);
  return plan.isOk() ? bindLaneSort(site, *plan) : plan.takeStatus();
}

const RegisteredCall registered({.name = abi::calls::sort, .numOuts = 2, .takesStrides = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
