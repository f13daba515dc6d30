// The call `attention`: each tile of queries sees all its keys at once; the whole score matrix never exists.
#include "runtime/abi/calls.h"
#include "runtime/core/attention_plan.h"
#include "runtime/core/element.h"
#include "runtime/host/attention_tile.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <atomic>

namespace sheaf::rt::host {
namespace {

constexpr int64_t tileRows = 64;

using Four = AttentionPlan::Four;

int64_t numTiles(const AttentionPlan &plan) { return (plan.queries + tileRows - 1) / tileRows; }

bool isSmall(const AttentionPlan &plan) {
  auto count = static_cast<double>(plan.batch * plan.heads),
       scores = count * static_cast<double>(plan.queries * plan.keys);
  // A score passes through memory, and its exponential takes about as long as moving 16 bytes.
  return isForOneThread(2 * scores * static_cast<double>(plan.depth + plan.valueDepth),
                        16 * scores);
}

/// T: elements; C: what is computed in.
template <typename T> class Attention {
public:
  using C = Wide<T>;

  explicit Attention(const AttentionPlan &plan) : plan(plan) {}

  /// Elements of C that one thread needs: scores, then tiles of q, k, v and the result where those must be widened.
  int64_t scratchElements() const {
    return tileRows * plan.keys + tileRows * (plan.depth + plan.valueDepth) +
           plan.keys * (plan.depth + plan.valueDepth) + 64;
  }

  void run(void *const *buffers, std::byte *scratch) const {
    OneThread limit(isSmall(plan));
    std::atomic<int64_t> nextSlot = 0;
    int64_t tiles = numTiles(plan);
    parallelFor(0, plan.batch * plan.heads * tiles, 1, [&](int64_t begin, int64_t end) {
      C *memory = reinterpret_cast<C *>(scratch) + nextSlot.fetch_add(1) * scratchElements();
      for (int64_t i = begin; i < end; ++i)
        runTile(buffers, memory, i / tiles / plan.heads, i / tiles % plan.heads,
                i % tiles * tileRows);
    });
  }

private:
  /// `count` rows of `width` elements, where they lie if they can be used so, else widened into `memory`, which is
  /// then moved past them.
  Rows<const C> rowsOf(const T *data, int64_t stride, int64_t count, int64_t width,
                       C *&memory) const {
    if constexpr (std::is_same_v<T, C>)
      if (stride >= width)
        return {data, stride};
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < width; ++j)
        memory[i * width + j] = static_cast<C>(data[i * stride + j]);
    Rows<const C> rows{memory, width};
    memory += count * width;
    return rows;
  }

  /// Keys that query `row` may see.
  int64_t visibleKeys(int64_t row) const {
    if (!plan.isCausal)
      return plan.keys;
    return std::clamp<int64_t>(row + plan.keys - plan.queries + 1, 0, plan.keys);
  }

  void runTile(void *const *buffers, C *memory, int64_t b, int64_t h, int64_t firstRow) const {
    int64_t rows = std::min(tileRows, plan.queries - firstRow);
    int64_t keys = visibleKeys(firstRow + rows - 1), group = h / (plan.heads / plan.groups);
    auto at = [&](size_t buffer, const Four &strides, int64_t head, int64_t row) {
      return static_cast<T *>(buffers[buffer]) + b * strides[0] + head * strides[1] +
             row * strides[2];
    };
    T *result = at(plan.hasMask ? 4 : 3, plan.result, h, firstRow);
    C *scores = memory;
    memory += tileRows * plan.keys;
    Rows<const C> query =
        rowsOf(at(0, plan.query, h, firstRow), plan.query[2], rows, plan.depth, memory);
    Rows<const C> key = rowsOf(at(1, plan.key, group, 0), plan.key[2], keys, plan.depth, memory);
    Rows<const C> value =
        rowsOf(at(2, plan.value, group, 0), plan.value[2], keys, plan.valueDepth, memory);
    if (keys > 0 && plan.depth > 0)
      multiply(rows, keys, plan.depth, static_cast<C>(plan.scale), query, key, true,
               {scores, keys});
    else
      std::fill_n(scores, rows * keys, C(0));
    C reciprocals[tileRows];
    for (int64_t i = 0; i < rows; ++i) {
      C *row = scores + i * keys;
      int64_t visible = visibleKeys(firstRow + i);
      if (plan.hasMask) {
        int64_t offset = b * plan.mask[0] + h * plan.mask[1] + (firstRow + i) * plan.mask[2];
        if (plan.isMaskWide)
          addMask(static_cast<const C *>(buffers[3]) + offset, row, visible);
        else
          addMask(static_cast<const T *>(buffers[3]) + offset, row, visible);
      }
      reciprocals[i] = exponentiate(row, visible);
      std::fill(row + visible, row + keys, C(0));
    }
    storeProduct(rows, keys, scores, value, reciprocals, result, memory);
  }

  template <typename M> void addMask(const M *mask, C *row, int64_t count) const {
    for (int64_t j = 0; j < count; ++j)
      row[j] += static_cast<C>(mask[j * plan.mask[3]]);
  }

  /// result = reciprocals * scores * value, row by row.
  void storeProduct(int64_t rows, int64_t keys, const C *scores, Rows<const C> value,
                    const C *reciprocals, T *result, C *memory) const {
    int64_t width = plan.valueDepth, stride = plan.result[2];
    Rows<C> sums{memory, width};
    if constexpr (std::is_same_v<T, C>)
      if (stride >= width)
        sums = {result, stride};
    if (keys > 0)
      multiply(rows, width, keys, C(1), {scores, keys}, value, false, sums);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j)
        result[i * stride + j] =
            static_cast<T>(keys > 0 ? sums.data[i * sums.stride + j] * reciprocals[i] : C(0));
  }

  AttentionPlan plan;
};

BoundStep bind(CallSite &site) {
  Result<AttentionPlan> plan = AttentionPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitFloat<BoundStep>(site.ins[0].shape.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    Attention<T> attention(*plan);
    size_t bytes = static_cast<size_t>(attention.scratchElements()) * sizeof(Wide<T>) *
                   static_cast<size_t>(site.numThreads);
    return makeStep(
        [attention](void *const *buffers, std::byte *scratch) { attention.run(buffers, scratch); },
        bytes);
  });
}

const RegisteredCall
    registered({.name = abi::calls::attention, .minIns = 3, .maxIns = 4, .takesStrides = true},
               bind);

} // namespace
} // namespace sheaf::rt::host
