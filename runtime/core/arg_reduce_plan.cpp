// Reads and checks an `arg_reduce`.
#include "runtime/core/arg_reduce_plan.h"

#include "runtime/core/dim_check.h"

namespace sheaf::rt {

Result<ArgReducePlan> ArgReducePlan::make(CallSite &site) {
  ArgReducePlan plan{};
  plan.isMax = site.params.choice("kind", {"max", "min"}) == 0;
  plan.dim = site.params.integer("dim");
  plan.isLast = site.params.flag("last", false);
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (Status status = checkDim(plan.dim, in.rank()); !status.isOk())
    return status;
  std::vector<int64_t> expected = in.dims;
  expected.erase(expected.begin() + plan.dim);
  if (out.dims != expected)
    return Status::invalid("out ", out.str(), " must be in ", in.str(), " without dim ", plan.dim);
  if (out.elements() > 0 && in.dims[plan.dim] == 0)
    return Status::invalid("dim ", plan.dim, " of in ", in.str(),
                           " is empty, so it has no extreme");
  plan.out = out;
  plan.out.dims.insert(plan.out.dims.begin() + plan.dim, 1);
  plan.out.strides.insert(plan.out.strides.begin() + plan.dim, 0);
  return plan;
}

} // namespace sheaf::rt
