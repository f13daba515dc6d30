// What a `cumulative` computes.
#ifndef SHEAF_RUNTIME_CORE_CUMULATIVE_PLAN_H
#define SHEAF_RUNTIME_CORE_CUMULATIVE_PLAN_H

#include "runtime/core/device.h"
#include "runtime/core/dim_check.h"

namespace sheaf::rt {

/// Running sums or products along a dim.
struct CumulativePlan {
  bool isSum, isExclusive, isReverse;
  int64_t dim;

  /// Errors: a dim that does not exist, or an out that does not fit.
  static Result<CumulativePlan> make(CallSite &site) {
    CumulativePlan plan{};
    plan.isSum = site.params.choice("kind", {"sum", "prod"}) == 0;
    plan.dim = site.params.integer("dim");
    plan.isExclusive = site.params.flag("exclusive", false);
    plan.isReverse = site.params.flag("reverse", false);
    const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
    if (Status status = checkDim(plan.dim, in.rank()); !status.isOk())
      return status;
    if (in.dims != out.dims || in.type != out.type)
      return Status::invalid("in ", in.str(), " and out ", out.str(),
                             " must be of one shape and type");
    return plan;
  }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CUMULATIVE_PLAN_H
