// Reads and checks `sort` and `topk`.
#include "runtime/core/sort_plan.h"

#include "runtime/core/dim_check.h"

namespace sheaf::rt {
namespace {

Status checkIndices(const BufferShape &indices) {
  if (indices.type != abi::ElementType::i32 && indices.type != abi::ElementType::i64)
    return Status::invalid("indices must be i32 or i64, not ", abi::nameOf(indices.type));
  return {};
}

} // namespace

Result<SortPlan> SortPlan::ofSort(CallSite &site) {
  SortPlan plan{site.params.integer("dim"), site.params.flag("descending", false)};
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (Status status = checkDim(plan.dim, in.rank()); !status.isOk())
    return status;
  if (values.dims != in.dims || indices.dims != in.dims || values.type != in.type)
    return Status::invalid("in ", in.str(), ", values ", values.str(), " and indices ",
                           indices.str(), " must have equal dims");
  if (Status status = checkIndices(indices); !status.isOk())
    return status;
  return plan;
}

Result<SortPlan> SortPlan::ofTopk(CallSite &site) {
  SortPlan plan{site.params.integer("dim"), site.params.flag("largest", true)};
  site.params.flag("sorted", true); // The sorted order is one of those that 0 allows.
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (Status status = checkDim(plan.dim, in.rank()); !status.isOk())
    return status;
  std::vector<int64_t> expected = in.dims;
  if (values.rank() == in.rank())
    expected[plan.dim] = values.dims[plan.dim];
  if (values.dims != expected || indices.dims != expected || values.type != in.type ||
      expected[plan.dim] > in.dims[plan.dim])
    return Status::invalid("values ", values.str(), " and indices ", indices.str(),
                           " are not the first elements along dim ", plan.dim, " of in ", in.str());
  if (Status status = checkIndices(indices); !status.isOk())
    return status;
  return plan;
}

} // namespace sheaf::rt
