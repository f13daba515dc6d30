// Binds calls that put the elements of lanes in order.
#ifndef SHEAF_RUNTIME_CUDA_LANE_ORDER_H
#define SHEAF_RUNTIME_CUDA_LANE_ORDER_H

#include "runtime/core/sort_plan.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// The step that writes, along the dim of the plan, the first elements in order and their indices; as many as the outs
/// hold. Equal elements stay in order; NaN is the largest.
BoundStep bindLaneOrder(CudaCallSite &site, const SortPlan &plan);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_LANE_ORDER_H
