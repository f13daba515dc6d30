// Sorts collectives into those that travel together.
#include "passes/overlap/buckets.h"

#include "dialects/support/stored_size.h"
#include "passes/analysis/byte_count.h"

using namespace mlir;

namespace sheaf::overlap {

static int64_t bytesOf(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes = addBytes(bytes, memoryBytes(cast<ShapedType>(type)).value_or(0));
  return bytes;
}

std::optional<Candidate> Candidates::of(Operation *op) const {
  auto joint = dyn_cast<JointOpInterface>(op);
  auto names = op->getAttrOfType<ArrayAttr>(dist::kParameters);
  if (!joint || !names || names.size() != 1)
    return std::nullopt;
  auto group = groups.find(cast<StringAttr>(names[0]).getValue());
  if (group == groups.end())
    return std::nullopt;
  // Of what is cut and what is whole the whole is the full buffer.
  int64_t bytes = std::max(bytesOf(op->getOperandTypes()), bytesOf(op->getResultTypes()));
  return Candidate{joint, names[0], isBySize ? 0 : group->second, bytes};
}

bool Buckets::fits(const Bucket &bucket, const Candidate &candidate) const {
  if (maxBytes != 0 && addBytes(bucket.bytes, candidate.bytes) > maxBytes)
    return false;
  return llvm::none_of(bucket.members, [&](const Candidate &member) {
    return member.parameter == candidate.parameter;
  });
}

Bucket &Buckets::add(const Candidate &candidate, llvm::function_ref<bool(const Bucket &)> mayBeIn) {
  auto isOfKind = [&](const Bucket &bucket) {
    return bucket.members[0].group == candidate.group && bucket.first().mayJoin(candidate.op);
  };
  auto open = llvm::find_if(llvm::reverse(buckets), isOfKind);
  Bucket &bucket = open != buckets.rend() && fits(*open, candidate) && mayBeIn(*open)
                       ? *open
                       : buckets.emplace_back();
  bucket.members.push_back(candidate);
  bucket.bytes = addBytes(bucket.bytes, candidate.bytes);
  return bucket;
}

} // namespace sheaf::overlap
