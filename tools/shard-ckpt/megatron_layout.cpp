// Computes places in fused tensors.
#include "tools/shard-ckpt/megatron_layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sheaf::shard_ckpt {

using rt::BufferShape, rt::Result, rt::Status;

Status MegatronLayout::check() const {
  if (isTransposed && dims.size() != 2)
    return Status::invalid("it has ", dims.size(), " dims; only matrices are transposed");
  if (dim && *dim >= dims.size())
    return Status::invalid("it has ", dims.size(), " dims but is cut along dim ", *dim);
  if (groups % numRanks != 0)
    return Status::invalid("its ", groups, " groups can't be cut among ", numRanks, " ranks");
  if (dim && unit % groups != 0)
    return Status::invalid("dim ", *dim, " of its parts can't be cut into ", groups, " groups");
  return {};
}

Result<MegatronLayout> MegatronLayout::ofParts(const MegatronRule &rule,
                                               std::span<const BufferShape> parts,
                                               int64_t numRanks) {
  MegatronLayout layout;
  layout.type = parts.front().type;
  layout.shares = rule.shares;
  layout.dim = rule.dim;
  layout.isTransposed = rule.isTransposed;
  layout.numRanks = rule.dim ? numRanks : 1;
  layout.groups = rule.groups.value_or(layout.numRanks);
  layout.dims = parts.front().dims;
  if (layout.isTransposed)
    std::reverse(layout.dims.begin(), layout.dims.end());
  if (layout.dim && *layout.dim < layout.dims.size())
    layout.unit = layout.dims[*layout.dim] / layout.shares.front();
  if (Status status = layout.check(); !status.isOk())
    return status;
  if (!layout.dim)
    return layout;
  layout.dims[*layout.dim] =
      layout.unit * std::accumulate(layout.shares.begin(), layout.shares.end(), int64_t(0));
  for (size_t part = 0; part < parts.size(); ++part)
    if (parts[part].str() != layout.partShape(part).str())
      return Status::invalid("part ", part, " is ", parts[part].str(), " but ",
                             layout.partShape(part).str(), " fits its share");
  return layout;
}

Result<MegatronLayout> MegatronLayout::ofRank(const MegatronRule &rule, const BufferShape &local,
                                              int64_t numRanks) {
  MegatronLayout layout;
  layout.type = local.type;
  layout.shares = rule.shares;
  layout.dim = rule.dim;
  layout.isTransposed = rule.isTransposed;
  layout.numRanks = rule.dim ? numRanks : 1;
  layout.groups = rule.groups.value_or(layout.numRanks);
  layout.dims = local.dims;
  if (layout.dim && *layout.dim < layout.dims.size()) {
    int64_t sum = std::accumulate(layout.shares.begin(), layout.shares.end(), int64_t(0));
    layout.dims[*layout.dim] *= numRanks;
    layout.unit = layout.dims[*layout.dim] / sum;
    if (layout.unit * sum != layout.dims[*layout.dim])
      return Status::invalid("its ", layout.dims[*layout.dim], " elements along dim ", *layout.dim,
                             " are not ", sum, " shares");
  }
  if (Status status = layout.check(); !status.isOk())
    return status;
  return layout;
}

BufferShape MegatronLayout::localShape() const {
  std::vector<int64_t> local = dims;
  if (dim)
    local[*dim] /= numRanks;
  return rt::rowMajorShape(type, local);
}

BufferShape MegatronLayout::partShape(size_t part) const {
  std::vector<int64_t> shape = dims;
  if (dim)
    shape[*dim] = extentOf(part);
  if (isTransposed)
    std::reverse(shape.begin(), shape.end());
  return rt::rowMajorShape(type, shape);
}

template <typename Visit> void MegatronLayout::forEachRun(int64_t rank, Visit visit) const {
  // The value as [outer, cut, inner]; without a cut all of it is inner.
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < dims.size(); ++i)
    if (dim && i < *dim)
      outer *= dims[i];
    else if (!dim || i > *dim)
      inner *= dims[i];
  int64_t bytes = abi::bytesOf(type), local = 0, groupsHere = groups / numRanks;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t group = rank * groupsHere; group < (rank + 1) * groupsHere; ++group)
      for (size_t part = 0; part < shares.size(); ++part) {
        int64_t extent = dim ? extentOf(part) : 1, count = dim ? extent / groups : 1;
        if (!isTransposed) {
          int64_t run = count * inner * bytes;
          visit(part, (o * extent + group * count) * inner * bytes, local, run);
          local += run;
          continue;
        }
        for (int64_t c = group * count; c < (group + 1) * count; ++c)
          for (int64_t i = 0; i < inner; ++i, local += bytes)
            visit(part, transposedPlace(part, o, c, i) * bytes, local, bytes);
      }
}

/// In the stored matrix: of `o` and `i`, one counts the dim that is not cut.
int64_t MegatronLayout::transposedPlace(size_t part, int64_t o, int64_t c, int64_t i) const {
  if (!dim)
    return i % dims[1] * dims[0] + i / dims[1];
  return *dim == 0 ? i * extentOf(part) + c : c * dims[0] + o;
}

void MegatronLayout::toRank(int64_t rank, std::span<const std::byte *const> parts,
                            std::byte *local) const {
  forEachRun(dim ? rank : 0, [&](size_t part, int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(local + to, parts[part] + from, static_cast<size_t>(bytes));
  });
}

void MegatronLayout::fromRank(int64_t rank, const std::byte *local,
                              std::span<std::byte *const> parts) const {
  forEachRun(dim ? rank : 0, [&](size_t part, int64_t to, int64_t from, int64_t bytes) {
    std::memcpy(parts[part] + to, local + from, static_cast<size_t>(bytes));
  });
}

} // namespace sheaf::shard_ckpt
