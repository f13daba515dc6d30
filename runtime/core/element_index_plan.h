// What `gather_elements` and `scatter_elements` compute.
#ifndef SHEAF_RUNTIME_CORE_ELEMENT_INDEX_PLAN_H
#define SHEAF_RUNTIME_CORE_ELEMENT_INDEX_PLAN_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// Lanes along a dim whose places are chosen by indices.
struct ElementIndexPlan {
  int64_t dim;
  std::vector<int64_t> whole; ///< the parameter: empty, or the extent that a message names
  BufferShape
      indexed; ///< data of a gather, out of a scatter: as large as the indices but for `dim`

  /// Errors: a dim that does not exist, or buffers that do not fit.
  static Result<ElementIndexPlan> ofGather(CallSite &site);
  static Result<ElementIndexPlan> ofScatter(CallSite &site);

  /// The extent of the dim that a message names.
  int64_t bound() const { return whole.empty() ? indexed.dims[dim] : whole[0]; }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ELEMENT_INDEX_PLAN_H
