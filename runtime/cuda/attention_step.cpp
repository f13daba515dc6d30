// Gives plans of attention to kernels.
#include "runtime/cuda/attention_step.h"

#include <algorithm>

namespace sheaf::rt::cuda {
namespace {

/// Whether each row of `operand` begins at, and is a multiple of, what a kernel loads at once.
bool isAligned(const Operand &operand) {
  constexpr int64_t bytes = 16;
  const BufferShape &shape = operand.shape;
  int64_t size = shape.elementBytes();
  bool isFit = operand.offset % bytes == 0 && shape.dims[3] * size % bytes == 0;
  for (size_t dim = 0; dim < 3; ++dim)
    isFit &= shape.dims[dim] <= 1 || shape.strides[dim] * size % bytes == 0;
  return isFit;
}

} // namespace

int64_t attentionWidth(int64_t columns, int64_t most) {
  int64_t width = 64;
  while (width < columns && width < most)
    width *= 2;
  return width;
}

AttentionParameters attentionParameters(const AttentionPlan &plan,
                                        std::span<const Operand> tensors) {
  AttentionParameters result{.heads = plan.heads,
                             .groups = plan.groups,
                             .queries = plan.queries,
                             .keys = plan.keys,
                             .depth = plan.depth,
                             .valueDepth = plan.valueDepth,
                             .query = {},
                             .key = {},
                             .value = {},
                             .result = {},
                             .mask = {},
                             .scale = plan.scale,
                             .softcap = plan.softcap,
                             .isCausal = plan.isCausal,
                             .hasMask = plan.hasMask,
                             .isMaskWide = plan.isMaskWide,
                             .isAligned = std::ranges::all_of(tensors, isAligned)};
  std::copy_n(plan.query.begin(), 3, result.query);
  std::copy_n(plan.key.begin(), 3, result.key);
  std::copy_n(plan.value.begin(), 3, result.value);
  std::copy_n(plan.result.begin(), 3, result.result);
  std::copy_n(plan.mask.begin(), 4, result.mask);
  return result;
}

int64_t numAttentionTiles(int64_t rows, abi::ElementType type) {
  int64_t tile = attentionTile(type == abi::ElementType::f64);
  return (rows + tile - 1) / tile;
}

unsigned numAttentionThreads(abi::ElementType type) {
  return abi::bytesOf(type) == 2 ? attentionMatrixThreads : attentionSide * attentionSide;
}

} // namespace sheaf::rt::cuda
