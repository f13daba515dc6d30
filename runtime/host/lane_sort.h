// Sorts lanes and keeps the places their elements came from: what `sort` and `topk` share.
#ifndef SHEAF_RUNTIME_HOST_LANE_SORT_H
#define SHEAF_RUNTIME_HOST_LANE_SORT_H

#include "runtime/core/sort_plan.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {

/// The step that writes, along the dim of the plan, the first elements in order and their indices; as many as the outs
/// hold. Equal elements stay in order; NaN is the largest.
BoundStep bindLaneSort(const CallSite &site, const SortPlan &plan);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_LANE_SORT_H
