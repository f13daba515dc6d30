// The call `attention`: each tile of queries sees all its keys at once; the whole score matrix never exists.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/host/attention_tile.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <array>
#include <atomic>

namespace sheaf::rt::host {
namespace {

constexpr int64_t tileRows = 64;

using Four = std::array<int64_t, 4>;

Four fourOf(const std::vector<int64_t> &list) { return {list[0], list[1], list[2], list[3]}; }

struct AttentionPlan {
  int64_t batch, heads, groups, queries, keys, depth, valueDepth;
  Four query, key, value, mask{}, result; ///< strides, elements
  bool hasMask, isCausal;
  bool isMaskWide = false; ///< of the type that is computed in
  double scale;

  int64_t numTiles() const { return (queries + tileRows - 1) / tileRows; }

  bool isSmall() const {
    auto count = static_cast<double>(batch * heads),
         scores = count * static_cast<double>(queries * keys);
    // A score passes through memory, and its exponential takes about as long as moving 16 bytes.
    return isForOneThread(2 * scores * static_cast<double>(depth + valueDepth), 16 * scores);
  }
};

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
    OneThread limit(plan.isSmall());
    std::atomic<int64_t> nextSlot = 0;
    parallelFor(0, plan.batch * plan.heads * plan.numTiles(), 1, [&](int64_t begin, int64_t end) {
      C *memory = reinterpret_cast<C *>(scratch) + nextSlot.fetch_add(1) * scratchElements();
      for (int64_t i = begin; i < end; ++i)
        runTile(buffers, memory, i / plan.numTiles() / plan.heads, i / plan.numTiles() % plan.heads,
                i % plan.numTiles() * tileRows);
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

Result<AttentionPlan> makePlan(CallSite &site) {
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

BoundStep bind(CallSite &site) {
  Result<AttentionPlan> plan = makePlan(site);
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
