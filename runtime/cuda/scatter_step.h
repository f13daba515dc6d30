// Binds scatters: copies data to out, sorts the updates by where they go, and combines them.
#ifndef SHEAF_RUNTIME_CUDA_SCATTER_STEP_H
#define SHEAF_RUNTIME_CUDA_SCATTER_STEP_H

#include "runtime/cuda/kernels/element_index_parameters.h"
#include "runtime/cuda/lane_sorter.h"

#include <functional>

namespace sheaf::rt::cuda {

/// What differs between scatters.
struct ScatterTargets {
  /// Writes entries for `indices`: keys are where updates go.
  std::function<Status(const SortLanes &lanes, const void *indices, SortEntry *entries)> find;
  int64_t numLanes, updatesPerLane;
  IndexFault *fault;
};

/// The step of a call with the ins data, indices and updates. `parameters` lacks the kind,
/// which is read here.
BoundStep bindScatter(CudaCallSite &site, const ScatterTargets &targets,
                      CombineParameters parameters);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_SCATTER_STEP_H
