// The scores of attention, and their softmax as they come.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_SCORES_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_SCORES_H

#include "runtime/cuda/kernels/activation.h"
#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/head_rows.h"
#include "runtime/cuda/kernels/real.h"

namespace sheaf::rt::cuda {

DEVICE float infinityOf(float) { return __builtin_inff(); }
DEVICE double infinityOf(double) { return __builtin_inf(); }

/// e^(score - highest): of f32 0 where it is below 2^-126, beside the 1 of the highest. The difference comes first:
/// masks have scores that are no longer finite when they are scaled.
DEVICE float weightOf(float score, float highest) {
  return __nvvm_ex2_approx_ftz_f((score - highest) * 1.44269504f);
}
DEVICE double weightOf(double score, double highest) { return Real::exp(score - highest); }

/// As that of f32 in activation.h.
DEVICE double hyperbolicTangent(double x) {
  double size = x < 0 ? -x : x, square = x * x;
  if (size < 0.02) // The next term of the series is below 2^-60 of it.
    return x * (1 - square * (1 / 3.0 - square * (2 / 15.0 -
                                                  square * (17 / 315.0 - square * (62 / 2835.0)))));
  double power = Real::exp(-2 * size), result = (1 - power) / (1 + power);
  return x < 0 ? -result : result;
}

/// The scores of one head. T: elements; C: what is computed in.
template <typename T, typename C> struct AttentionScores {
  const AttentionParameters &p;
  const char *mask;
  int64_t batch, head;

  /// How many keys query `row` sees: the first so many.
  DEVICE int64_t visibleKeys(int64_t row) const {
    if (!p.isCausal)
      return p.keys;
    int64_t seen = row + p.keys - p.queries + 1;
    return seen < 0 ? 0 : smallerOf(seen, p.keys);
  }

  /// How many of `most` keys from `first` on query `row` sees: the first so many, and none if there is no such query.
  DEVICE int visibleOf(int64_t row, int64_t first, int most) const {
    int64_t seen = row < p.queries ? visibleKeys(row) - first : 0;
    return seen < 0 ? 0 : static_cast<int>(smallerOf(seen, most));
  }

  /// Whether scores are scaled products and no more, which has code of its own.
  DEVICE bool isPlain() const { return p.softcap == 0 && !p.hasMask; }

  /// The score of a visible key from its product with the query; `slope` gets the derivative of the softcap.
  template <bool isPlain> DEVICE C of(C product, int64_t row, int64_t column, C &slope) const {
    C score = product * static_cast<C>(p.scale);
    slope = 1;
    if constexpr (isPlain)
      return score;
    if (p.softcap != 0) {
      C tanh = hyperbolicTangent(score / static_cast<C>(p.softcap));
      slope = 1 - tanh * tanh;
      score = static_cast<C>(p.softcap) * tanh;
    }
    if (!p.hasMask)
      return score;
    int64_t at = batch * p.mask[0] + head * p.mask[1] + row * p.mask[2] + column * p.mask[3];
    return score + (p.isMaskWide ? static_cast<C>(reinterpret_cast<const float *>(mask)[at])
                                 : static_cast<C>(reinterpret_cast<const T *>(mask)[at]));
  }

  /// Turns products of the queries from `first` on with the keys from `begin` on, the left and right rows of a tile,
  /// into scores: of keys that a query does not see -inf.
  template <typename Tiles>
  INLINED_DEVICE void ofTile(const Tiles &tiles, int64_t first, int64_t begin,
                             C (&products)[Tiles::rows][Tiles::columns]) const {
    if (isPlain())
      ofTileOf<true>(tiles, first, begin, products);
    else
      ofTileOf<false>(tiles, first, begin, products);
  }

private:
  template <bool isPlain, typename Tiles>
  INLINED_DEVICE void ofTileOf(const Tiles &tiles, int64_t first, int64_t begin,
                               C (&products)[Tiles::rows][Tiles::columns]) const {
#pragma unroll
    for (int i = 0; i < Tiles::rows; ++i) {
      int64_t row = first + tiles.leftRow(i);
      int64_t column = begin + tiles.firstRight();
      int numVisible = visibleOf(row, column, Tiles::numRight);
#pragma unroll
      for (int j = 0; j < Tiles::columns; ++j) {
        int step = Tiles::rightStep(j);
        C slope, &score = products[i][j];
        score =
            step < numVisible ? of<isPlain>(score, row, column + step, slope) : -infinityOf(C());
      }
    }
  }
};

/// The softmax of the scores of a thread's queries, which come a tile of keys at a time.
///
/// Source: it is kept up to date as scores come (Milakov and Gimelshein, "Online normalizer calculation for softmax",
/// 2018), and what was summed before is rescaled when a larger score comes (Dao et al., "FlashAttention", NeurIPS
/// 2022).
template <typename Tiles> struct RunningSoftmax {
  using C = typename Tiles::Sum;
  static constexpr int rows = Tiles::rows, columns = Tiles::columns;

  C highest[rows]; ///< -inf: none so far
  C total[rows];   ///< of the weights of this thread's columns

  INLINED_DEVICE void start() {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      highest[i] = -infinityOf(C());
      total[i] = 0;
    }
  }

  /// Turns scores into weights relative to the highest so far; `rescale` gets what sums of weights so far are to be
  /// multiplied by.
  INLINED_DEVICE void weigh(const Tiles &tiles, C (&scores)[rows][columns], C (&rescale)[rows]) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      C top = highest[i];
#pragma unroll
      for (int j = 0; j < columns; ++j)
        top = scores[i][j] > top ? scores[i][j] : top;
      top = tiles.largestOfRow(top);
      // Where nothing is seen yet all weights become 0, not NaN.
      C base = top == -infinityOf(C()) ? C(0) : top, sum = 0;
      rescale[i] = weightOf(highest[i], base);
      highest[i] = top;
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        scores[i][j] = weightOf(scores[i][j], base);
        sum += scores[i][j];
      }
      total[i] = total[i] * rescale[i] + sum;
    }
  }

  /// What the weights of a row are to be multiplied by once all scores have come; 0 where nothing is seen.
  DEVICE C reciprocal(const Tiles &tiles, int i) const {
    C sum = tiles.sumOfRow(total[i]);
    return sum == 0 ? C(0) : 1 / sum;
  }
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_SCORES_H
