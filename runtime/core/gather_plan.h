// What a `gather` computes.
#ifndef SHEAF_RUNTIME_CORE_GATHER_PLAN_H
#define SHEAF_RUNTIME_CORE_GATHER_PLAN_H

#include "runtime/core/device.h"
#include "runtime/core/strided.h"

namespace sheaf::rt {

/// out[batch, before, index, after] = data[batch, before, indices[batch, index], after]; out and indices are row-major.
struct GatherPlan {
  int64_t numBefore, numIndices;
  int64_t extent;             ///< of data's dim
  int64_t dimStep;            ///< of data, bytes
  std::vector<int64_t> whole; ///< the parameter: empty, or the extent that a message names
  StridedSpace<1> outer;      ///< of data: batch and before dims
  BufferShape after;          ///< of data: the dims after

  /// Errors: a dim that does not exist, or buffers that do not fit.
  static Result<GatherPlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_GATHER_PLAN_H
