// The call `attention`: each tile of queries sees all its keys at once; the whole score matrix never exists.
#include "runtime/abi/calls.h"
#include "runtime/host/attention_tile.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <atomic>

namespace sheaf::rt::host {
namespace {

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
    return attentionTileRows * (plan.keys + plan.depth + plan.valueDepth) +
           plan.keys * (plan.depth + plan.valueDepth) + 64;
  }

  void run(void *const *buffers, std::byte *scratch) const {
    OneThread limit(isSmall(plan));
    std::atomic<int64_t> nextSlot = 0;
    int64_t tiles = numAttentionTiles(plan);
    parallelFor(0, plan.batch * plan.heads * tiles, 1, [&](int64_t begin, int64_t end) {
      C *memory = reinterpret_cast<C *>(scratch) + nextSlot.fetch_add(1) * scratchElements();
      for (int64_t i = begin; i < end; ++i)
        runTile(buffers, memory, {plan, i / tiles / plan.heads, i / tiles % plan.heads, i % tiles});
    });
  }

private:
  void runTile(void *const *buffers, C *memory, const AttentionTile<T> &tile) const {
    int64_t group = tile.h / (plan.heads / plan.groups);
    auto ofGroup = [&](size_t buffer, const AttentionPlan::Four &strides) {
      return static_cast<const T *>(buffers[buffer]) + tile.b * strides[0] + group * strides[1];
    };
    T *result = tile.at(static_cast<T *>(buffers[plan.hasMask ? 4 : 3]), plan.result);
    C *scores = memory;
    memory += attentionTileRows * plan.keys;
    Rows<const C> query = rowsOf(tile.at(static_cast<const T *>(buffers[0]), plan.query),
                                 plan.query[2], tile.rows, plan.depth, memory);
    Rows<const C> key = rowsOf(ofGroup(1, plan.key), plan.key[2], tile.keys, plan.depth, memory);
    Rows<const C> value =
        rowsOf(ofGroup(2, plan.value), plan.value[2], tile.keys, plan.valueDepth, memory);
    C reciprocals[attentionTileRows];
    tile.exponentials(query, key, buffers[3], scores, nullptr, reciprocals);
    storeProduct(tile, scores, value, reciprocals, result, memory);
  }

  /// result = reciprocals * scores * value, row by row.
  void storeProduct(const AttentionTile<T> &tile, const C *scores, Rows<const C> value,
                    const C *reciprocals, T *result, C *memory) const {
    int64_t width = plan.valueDepth, stride = plan.result[2], keys = tile.keys;
    Rows<C> sums{memory, width};
    if constexpr (std::is_same_v<T, C>)
      if (stride >= width)
        sums = {result, stride};
    if (keys > 0)
      multiply(tile.rows, width, keys, C(1), {scores, keys}, value, false, sums);
    for (int64_t i = 0; i < tile.rows; ++i)
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
