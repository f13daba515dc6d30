// A tile of queries of one head of attention: its scores with all keys, and their exponentials.
#ifndef SHEAF_RUNTIME_HOST_ATTENTION_TILE_H
#define SHEAF_RUNTIME_HOST_ATTENTION_TILE_H

#include "runtime/core/attention_plan.h"
#include "runtime/core/element.h"
#include "runtime/host/dense_product.h"
#include "runtime/host/fast_exp.h"

#include <algorithm>
#include <limits>

namespace sheaf::rt::host {

/// The most queries of a tile.
inline constexpr int64_t attentionTileRows = 64;

inline int64_t numAttentionTiles(const AttentionPlan &plan) {
  return (plan.queries + attentionTileRows - 1) / attentionTileRows;
}

/// Turns a row of scores into exponentials, of which the largest is 1, and returns 1 over their sum; 0 for a row
/// that sees no key (none, or all scores -inf).
template <typename C> C exponentiate(C *scores, int64_t count) {
  C highest = -std::numeric_limits<C>::infinity();
  for (int64_t i = 0; i < count; ++i)
    highest = scores[i] > highest || scores[i] != scores[i] ? scores[i] : highest;
  if (highest == -std::numeric_limits<C>::infinity()) {
    std::fill_n(scores, count, C(0));
    return 0;
  }
  constexpr int64_t numSums = 16; // independent, so that they become a vector
  C sums[numSums] = {};
  int64_t i = 0;
  for (; i + numSums <= count; i += numSums)
    for (int64_t j = 0; j < numSums; ++j) {
      scores[i + j] = fastExp(scores[i + j] - highest);
      sums[j] += scores[i + j];
    }
  for (; i < count; ++i) {
    scores[i] = fastExp(scores[i] - highest);
    sums[0] += scores[i];
  }
  C total = 0;
  for (C sum : sums)
    total += sum;
  return 1 / total;
}

/// `count` rows of `width` elements, where they lie if they can be used so, else widened into `memory`, which is
/// then moved past them.
template <typename T, typename C = Wide<T>>
Rows<const C> rowsOf(const T *data, int64_t stride, int64_t count, int64_t width, C *&memory) {
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

/// T: elements; C: what is computed in.
template <typename T> struct AttentionTile {
  using C = Wide<T>;

  const AttentionPlan &plan;
  int64_t b, h, firstRow; ///< batch, head, query
  int64_t rows;           ///< queries
  int64_t keys;           ///< that some of its queries see: the first so many

  AttentionTile(const AttentionPlan &plan, int64_t b, int64_t h, int64_t index)
      : plan(plan), b(b), h(h), firstRow(index * attentionTileRows),
        rows(std::min(attentionTileRows, plan.queries - firstRow)), keys(visibleKeys(rows - 1)) {}

  /// Keys that query `row` of the tile may see.
  int64_t visibleKeys(int64_t row) const {
    if (!plan.isCausal)
      return plan.keys;
    return std::clamp<int64_t>(firstRow + row + plan.keys - plan.queries + 1, 0, plan.keys);
  }

  /// Where the tile's rows of a tensor of all heads begin.
  template <typename U> U *at(U *tensor, const AttentionPlan::Four &strides) const {
    return tensor + b * strides[0] + h * strides[1] + firstRow * strides[2];
  }

  /// Makes `scores` [rows, keys] the exponentials of scores, each row's largest 1 and hidden ones 0, and `reciprocals`
  /// [rows] 1 over the sums of rows. `tanhs` [rows, keys], where it is not null and there is a softcap, gets what the
  /// tanh of it gave.
  void exponentials(Rows<const C> query, Rows<const C> key, const void *mask, C *scores, C *tanhs,
                    C *reciprocals) const {
    if (keys > 0 && plan.depth > 0)
      multiply(rows, keys, plan.depth, static_cast<C>(plan.scale), query, key, true,
               {scores, keys});
    else
      std::fill_n(scores, rows * keys, C(0));
    if (plan.softcap != 0)
      capScores(scores, tanhs);
    for (int64_t i = 0; i < rows; ++i) {
      C *row = scores + i * keys;
      int64_t visible = visibleKeys(i);
      if (plan.hasMask) {
        int64_t offset = b * plan.mask[0] + h * plan.mask[1] + (firstRow + i) * plan.mask[2];
        if (plan.isMaskWide)
          addMask(static_cast<const C *>(mask) + offset, row, visible);
        else
          addMask(static_cast<const T *>(mask) + offset, row, visible);
      }
      reciprocals[i] = exponentiate(row, visible);
      std::fill(row + visible, row + keys, C(0));
    }
  }

private:
  void capScores(C *scores, C *tanhs) const {
    auto cap = static_cast<C>(plan.softcap), reciprocal = 1 / cap;
    for (int64_t i = 0; i < rows * keys; ++i) {
      C tanh = fastTanh(scores[i] * reciprocal);
      if (tanhs)
        tanhs[i] = tanh;
      scores[i] = cap * tanh;
    }
  }

  template <typename M> void addMask(const M *mask, C *row, int64_t count) const {
    for (int64_t j = 0; j < count; ++j)
      row[j] += static_cast<C>(mask[j * plan.mask[3]]);
  }
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_ATTENTION_TILE_H
