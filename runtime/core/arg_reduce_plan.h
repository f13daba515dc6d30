// What an `arg_reduce` computes.
#ifndef SHEAF_RUNTIME_CORE_ARG_REDUCE_PLAN_H
#define SHEAF_RUNTIME_CORE_ARG_REDUCE_PLAN_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// Where the extremes along a dim are.
struct ArgReducePlan {
  bool isMax, isLast;
  int64_t dim;
  BufferShape out; ///< with an extent of 1 along `dim`

  /// Errors: a dim that does not exist or is empty, or an out that does not fit.
  static Result<ArgReducePlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ARG_REDUCE_PLAN_H
