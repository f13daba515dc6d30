// What a `resize` computes.
#ifndef SHEAF_RUNTIME_CORE_RESIZE_PLAN_H
#define SHEAF_RUNTIME_CORE_RESIZE_PLAN_H

#include "runtime/core/device.h"
#include "runtime/core/resize_table.h"

namespace sheaf::rt {

/// Every result is a weighted sum of places of the input, dim by dim.
struct ResizePlan {
  bool isNearest;
  double extrapolationValue;
  std::vector<ResizeTable>
      tables; ///< of the dims, with places as byte offsets; none where there are no results

  /// Errors: buffers that do not fit, or scales out of range.
  static Result<ResizePlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_RESIZE_PLAN_H
