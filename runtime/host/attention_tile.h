// Attention of one head, a tile of queries at a time.
#ifndef SHEAF_RUNTIME_HOST_ATTENTION_TILE_H
#define SHEAF_RUNTIME_HOST_ATTENTION_TILE_H

#include "runtime/host/fast_exp.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <oneapi/dnnl/dnnl.h>

namespace sheaf::rt::host {

/// A matrix whose rows are dense.
template <typename C> struct Rows {
  C *data;
  int64_t stride; ///< elements from one row to the next
};

/// c[m, n] = alpha * a[m, k] * b, where b is [n, k] when `isTransposed`, else [k, n].
inline void multiply(int64_t m, int64_t n, int64_t k, float alpha, Rows<const float> a,
                     Rows<const float> b, bool isTransposed, Rows<float> c) {
  // In a parallel loop the library works on the calling thread alone.
  dnnl_sgemm('N', isTransposed ? 'T' : 'N', m, n, k, alpha, a.data, a.stride, b.data, b.stride, 0,
             c.data, c.stride);
}
inline void multiply(int64_t m, int64_t n, int64_t k, double alpha, Rows<const double> a,
                     Rows<const double> b, bool isTransposed, Rows<double> c) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.data[i * a.stride + l] *
               (isTransposed ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
      c.data[i * c.stride + j] = alpha * sum;
    }
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

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_ATTENTION_TILE_H
