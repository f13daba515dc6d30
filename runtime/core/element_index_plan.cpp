// Reads and checks `gather_elements` and `scatter_elements`.
#include "runtime/core/element_index_plan.h"

#include "runtime/core/dim_check.h"

namespace sheaf::rt {
namespace {

/// `shape` with the extents of `indices` in all dims but `dim`: its first part is what they reach.
BufferShape reachedBy(BufferShape shape, const BufferShape &indices, int64_t dim) {
  for (int64_t i = 0; i < static_cast<int64_t>(shape.rank()); ++i)
    if (i != dim)
      shape.dims[i] = indices.dims[i];
  return shape;
}

/// A dim other than `dim` in which `part` is larger than `whole`; -1 when there is none.
int64_t largerDim(const BufferShape &part, const BufferShape &whole, int64_t dim) {
  for (int64_t i = 0; i < static_cast<int64_t>(whole.rank()); ++i)
    if (i != dim && part.dims[i] > whole.dims[i])
      return i;
  return -1;
}

} // namespace

Result<ElementIndexPlan> ElementIndexPlan::ofGather(CallSite &site) {
  ElementIndexPlan plan{site.params.integer("dim"), site.params.integers("whole", {}), {}};
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &out = site.outs[0].shape;
  if (Status status = checkDim(plan.dim, data.rank()); !status.isOk())
    return status;
  if (indices.dims != out.dims || out.type != data.type || out.rank() != data.rank())
    return Status::invalid("indices ", indices.str(), " and out ", out.str(),
                           " must have equal dims, and the rank and type of data ", data.str());
  if (int64_t larger = largerDim(out, data, plan.dim); larger >= 0)
    return Status::invalid("out ", out.str(), " is larger than data ", data.str(), " in dim ",
                           larger);
  plan.indexed = reachedBy(data, indices, plan.dim);
  return plan;
}

Result<ElementIndexPlan> ElementIndexPlan::ofScatter(CallSite &site) {
  ElementIndexPlan plan{site.params.integer("dim"), site.params.integers("whole", {}), {}};
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &updates = site.ins[2].shape, &out = site.outs[0].shape;
  if (Status status = checkDim(plan.dim, data.rank()); !status.isOk())
    return status;
  if (data.dims != out.dims || data.type != out.type || updates.type != out.type ||
      updates.dims != indices.dims || updates.rank() != out.rank())
    return Status::invalid("data ", data.str(), ", indices ", indices.str(), ", updates ",
                           updates.str(), " and out ", out.str(), " do not fit together");
  if (int64_t larger = largerDim(updates, out, plan.dim); larger >= 0)
    return Status::invalid("updates ", updates.str(), " are larger than out ", out.str(),
                           " in dim ", larger);
  plan.indexed = reachedBy(out, indices, plan.dim);
  return plan;
}

} // namespace sheaf::rt
