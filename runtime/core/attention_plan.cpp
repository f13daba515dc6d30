// Reads and checks an `attention` and an `attention_gradient`.
#include "runtime/core/attention_plan.h"

namespace sheaf::rt {
namespace {

AttentionPlan::Four fourOf(const std::vector<int64_t> &list) {
  return {list[0], list[1], list[2], list[3]};
}

Status checkHeads(const BufferShape &shape, const BufferShape &q) {
  if (shape.rank() == 4 && shape.type == q.type && (shape.dims[3] <= 1 || shape.strides[3] == 1))
    return {};
  return Status::invalid(shape.str(), " must have 4 dims, the type of q ", q.str(),
                         ", and stride 1 in the last");
}

/// Missing leading dims and extents of 1 are repeated.
Status readMask(AttentionPlan &plan, const BufferShape &mask, abi::ElementType type) {
  std::vector<int64_t> scores = {plan.batch, plan.heads, plan.queries, plan.keys};
  size_t missing = 4 - std::min<size_t>(4, mask.rank());
  plan.isMaskWide = mask.type == abi::ElementType::f32 && abi::bytesOf(type) == 2;
  bool isFit = mask.rank() <= 4 && (mask.type == type || plan.isMaskWide);
  for (size_t dim = 0; isFit && dim < mask.rank(); ++dim) {
    isFit = mask.dims[dim] == scores[missing + dim] || mask.dims[dim] == 1;
    plan.mask[missing + dim] = mask.dims[dim] == 1 ? 0 : mask.strides[dim];
  }
  if (isFit)
    return {};
  return Status::invalid("mask ", mask.str(), " must be of q's type or f32, and broadcast to [",
                         plan.batch, ", ", plan.heads, ", ", plan.queries, ", ", plan.keys, "]");
}

/// Reads q, k and v, and the mask behind the first `numTensors` ins.
Result<AttentionPlan> read(CallSite &site, const BufferShape &result, size_t numTensors) {
  AttentionPlan plan{};
  plan.scale = site.params.number("scale");
  plan.softcap = site.params.number("softcap", 0);
  plan.isCausal = site.params.flag("causal", false);
  plan.hasMask = site.params.flag("has_mask", false);
  if (site.ins.size() != numTensors + plan.hasMask)
    return Status::invalid("it has ", site.ins.size(), " ins; has_mask is ", plan.hasMask);
  const BufferShape &q = site.ins[0].shape, &k = site.ins[1].shape, &v = site.ins[2].shape;
  for (const BufferShape *shape : {&q, &k, &v, &result})
    if (Status status = checkHeads(*shape, q); !status.isOk())
      return status;
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
  if (plan.hasMask)
    if (Status status = readMask(plan, site.ins[numTensors].shape, q.type); !status.isOk())
      return status;
  return plan;
}

} // namespace

Result<AttentionPlan> AttentionPlan::make(CallSite &site) {
  return read(site, site.outs[0].shape, 3);
}

Result<AttentionGradientPlan> AttentionGradientPlan::make(CallSite &site) {
  Result<AttentionPlan> attention = read(site, site.ins[3].shape, 4);
  if (!attention.isOk())
    return attention.takeStatus();
  for (size_t i = 0; i < 3; ++i) {
    const BufferShape &out = site.outs[i].shape, &in = site.ins[i].shape;
    if (Status status = checkHeads(out, in); !status.isOk())
      return status;
    if (out.dims != in.dims)
      return Status::invalid("the gradient ", out.str(), " must have the dims of ", in.str());
  }
  return AttentionGradientPlan{.attention = *attention,
                               .queryGradient = fourOf(site.outs[0].shape.strides),
                               .keyGradient = fourOf(site.outs[1].shape.strides),
                               .valueGradient = fourOf(site.outs[2].shape.strides)};
}

} // namespace sheaf::rt
