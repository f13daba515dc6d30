// What `sort` and `topk` compute.
#ifndef SHEAF_RUNTIME_CORE_SORT_PLAN_H
#define SHEAF_RUNTIME_CORE_SORT_PLAN_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// The first elements of a stable sort along a dim, as many as the outs have.
struct SortPlan {
  int64_t dim;
  bool isDescending;

  /// Errors: a dim that does not exist, or buffers that do not fit.
  static Result<SortPlan> ofSort(CallSite &site);
  static Result<SortPlan> ofTopk(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_SORT_PLAN_H
