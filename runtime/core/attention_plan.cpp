// Reads and checks an `attention`.
#include "runtime/core/attention_plan.h"

namespace sheaf::rt {
namespace {

AttentionPlan::Four fourOf(const std::vector<int64_t> &list) {
  return {list[0], list[1], list[2], list[3]};
}

} // namespace

Result<AttentionPlan> AttentionPlan::make(CallSite &site) {
  AttentionPlan plan{};
  plan.scale = site.params.number("scale");
  plan.isCausal = site.params.flag("causal", false);
  plan.hasMask = site.params.flag("has_mask", false);
  if (site.ins.size() != 3u + plan.hasMask)
    return Status::invalid("it has ", site.ins.size(), " ins; has_mask is ", plan.hasMask);
  const BufferShape &q = site.ins[0].shape, &k = site.ins[1].shape, &v = site.ins[2].shape,
                    &result = site.outs[0].shape;
  for (const BufferShape *shape : {&q, &k, &v, &result})
    if (shape->rank() != 4 || shape->type != q.type ||
        (shape->dims[3] > 1 && shape->strides[3] != 1))
      return Status::invalid(shape->str(), " must have 4 dims, the type of q ", q.str(),
                             ", and stride 1 in the last");
  std::vector<int64_t> expected = {q.dims[0], q.dims[1], q.dims[2], v.dims[3]};
  bool isFit = k.dims[0] == q.dims[0] && v.dims[0] == q.dims[0] && k.dims[1] == v.dims[1] &&
               k.dims[2] == v.dims[2] && k.dims[3] == q.dims[3] && k.dims[1] > 0 &&
               q.dims[1] % k.dims[1] == 0 && result.dims == expected;
  if (!isFit)
    return Status::invalid("q ", q.str(), ", k ", k.str(), ", v ", v.str(), " and result ",
                           result.str(), " do not fit together");
  plan.batch = q.dims[0];
  plan.heads = q.dims[1];
  plan.groups = k.dims[1];
  plan.queries = q.dims[2];
  plan.keys = k.dims[2];
  plan.depth = q.dims[3];
  plan.valueDepth = v.dims[3];
  plan.query = fourOf(q.strides);
  plan.key = fourOf(k.strides);
  plan.value = fourOf(v.strides);
  plan.result = fourOf(result.strides);
  if (plan.hasMask) {
    const BufferShape &mask = site.ins[3].shape;
    std::vector<int64_t> scores = {plan.batch, plan.heads, plan.queries, plan.keys};
    // Missing leading dims and extents of 1 are repeated.
    size_t missing = 4 - std::min<size_t>(4, mask.rank());
    plan.isMaskWide = mask.type == abi::ElementType::f32 && abi::bytesOf(q.type) == 2;
    bool isMaskFit = mask.rank() <= 4 && (mask.type == q.type || plan.isMaskWide);
    for (size_t dim = 0; isMaskFit && dim < mask.rank(); ++dim) {
      isMaskFit = mask.dims[dim] == scores[missing + dim] || mask.dims[dim] == 1;
      plan.mask[missing + dim] = mask.dims[dim] == 1 ? 0 : mask.strides[dim];
    }
    if (!isMaskFit)
      return Status::invalid("mask ", mask.str(), " must be of q's type or f32, and broadcast to [",
                             plan.batch, ", ", plan.heads, ", ", plan.queries, ", ", plan.keys,
                             "]");
  }
  return plan;
}

} // namespace sheaf::rt
