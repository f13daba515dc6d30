// The gradients of attention, in two kernels; weights are computed again, a tile at a time.
//
// With `p` the weights, `g` the gradient of the results and `c` the scores before the softmax,
//
//   dv = p^T g,   dp = g v^T,   dc = p (dp - m),   m = sum over keys of p dp,   dq = scale dc k,   dk = scale dc^T q
//
// (Dao et al., "FlashAttention", NeurIPS 2022, appendix B). A softcap scales dc by 1 - tanh^2.
//
// - `attention_query_gradient`: a block has a tile of queries of one head. It meets the keys twice: first for the
//   softmax and `m`, both kept up to date as scores come, then for dq. What it found of each query it leaves for
// - `attention_key_gradient`: a block has a tile of keys of one group, and meets the queries of all its heads, in their
//   order, for dk and dv.
//
// Each element is summed by one thread: no atomics, and the same bits every time.
#include "runtime/cuda/kernels/attention_tiles.h"

using namespace sheaf::rt::cuda;

namespace {

/// Of a query: exp(score - highest) * reciprocal are its weights.
template <typename C> struct QueryStatistics {
  C highest, reciprocal;
  C mean; ///< of the gradients of its weights
};

/// T: elements; C: what sums are kept in; Width: the columns of dq that a block sums.
template <typename T, typename C, int Width> class QueryGradient {
public:
  using Tiles = AttentionTiles<T, C>;
  static constexpr int tile = Tiles::tile, each = Tiles::each;
  static constexpr int numColumns = Width / tile * each; ///< of dq per thread

  DEVICE QueryGradient(const AttentionGradientParameters &gradients, typename Tiles::Shared &shared,
                       const T *q, const T *k, const T *v, const T *g, const char *mask, T *out,
                       QueryStatistics<C> *allStatistics)
      : p(gradients.attention), tiles(shared, p.isAligned), scores{p, mask, 0, 0} {
    int64_t numTiles = (p.queries + tile - 1) / tile;
    auto block = static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x());
    firstColumn = block % gradients.numParts * Width;
    block /= gradients.numParts;
    // The last tiles see the most keys, where not all do: they begin first.
    first = (numTiles - 1 - block % numTiles) * tile;
    int64_t head = scores.head = block / numTiles % p.heads;
    int64_t batch = scores.batch = block / numTiles / p.heads;
    int64_t group = head / (p.heads / p.groups);
    query = {q + batch * p.query[0] + head * p.query[1], p.query[2], p.queries, p.depth};
    key = {k + batch * p.key[0] + group * p.key[1], p.key[2], p.keys, p.depth};
    value = {v + batch * p.value[0] + group * p.value[1], p.value[2], p.keys, p.valueDepth};
    gradient = {g + batch * p.result[0] + head * p.result[1], p.result[2], p.queries, p.valueDepth};
    stride = gradients.queryGradient[2];
    result = out + batch * gradients.queryGradient[0] + head * gradients.queryGradient[1];
    statistics = allStatistics + (batch * p.heads + head) * p.queries;
  }

  INLINED_DEVICE void run() {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      highest[i] = -infinityOf(C());
      total[i] = weighted[i] = 0;
#pragma unroll
      for (int j = 0; j < numColumns; ++j)
        sums[i][j] = 0;
    }
    int64_t last = smallerOf(first + tile, p.queries) - 1, end = scores.visibleKeys(last);
#pragma unroll 1 // Two copies of the products would be twice the code.
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t begin = 0; begin < end; begin += tile) {
        __syncthreads(); // All are done with the weights of the tile before.
        C products[each][each], slopes[each][each];
        tiles.multiply(query, first, key, begin, products);
        tiles.multiply(gradient, first, value, begin, slopes);
        if (pass == 1)
          addGradients(begin, products, slopes);
        else
          addStatistics(begin, products, slopes);
      }
      if (pass == 0)
        finishStatistics();
    }
    tiles.forEachSum(
        sums, first, p.queries, firstColumn, p.depth, [&](int, int64_t row, int64_t column, C sum) {
          result[row * stride + column] = static_cast<T>(sum * static_cast<C>(p.scale));
        });
  }

private:
  /// Leaves what is found of the queries.
  INLINED_DEVICE void finishStatistics() {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      C sum = sumOfRow(total[i]), reciprocal = sum == 0 ? C(0) : 1 / sum;
      total[i] = reciprocal;
      weighted[i] = sumOfRow(weighted[i]) * reciprocal;
      if (highest[i] == -infinityOf(C()))
        highest[i] = 0; // All weights are 0, not NaN.
      int64_t row = first + tiles.leftRow(i);
      if (firstColumn == 0 && tiles.x == 0 && row < p.queries)
        statistics[row] = {highest[i], reciprocal, weighted[i]};
    }
  }

  /// Adds what a tile of keys adds to dq, by their products with queries and by the gradients of weights.
  INLINED_DEVICE void addGradients(int64_t begin, const C (&products)[each][each],
                                   const C (&slopes)[each][each]) {
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j) {
        int64_t row = first + tiles.leftRow(i), column = begin + tiles.rightRow(j);
        C &weight = tiles.weight(i, j), slope;
        weight = 0;
        if (!scores.isVisible(row, column))
          continue;
        C score = scores.of(products[i][j], row, column, slope);
        weight =
            fastExponential(score - highest[i]) * total[i] * (slopes[i][j] - weighted[i]) * slope;
      }
    tiles.addWeighted(key, begin, firstColumn, first + tiles.leftRow(0) < p.queries, sums);
  }

  /// Adds a tile of keys to what is found of the queries.
  INLINED_DEVICE void addStatistics(int64_t begin, C (&products)[each][each],
                                    const C (&slopes)[each][each]) {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      C top = highest[i];
#pragma unroll
      for (int j = 0; j < each; ++j) {
        int64_t row = first + tiles.leftRow(i), column = begin + tiles.rightRow(j);
        C slope, &score = products[i][j];
        score =
            scores.isVisible(row, column) ? scores.of(score, row, column, slope) : -infinityOf(C());
        top = score > top ? score : top;
      }
      top = largestOfRow(top);
      C base = top == -infinityOf(C()) ? C(0) : top;
      C rescale = fastExponential(highest[i] - base);
      highest[i] = top;
      total[i] *= rescale;
      weighted[i] *= rescale;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        C weight = fastExponential(products[i][j] - base);
        total[i] += weight;
        weighted[i] += weight * slopes[i][j];
      }
    }
  }

  const AttentionParameters &p;
  Tiles tiles;
  AttentionScores<T, C> scores;
  HeadRows<T> query, key, value, gradient;
  T *result;
  QueryStatistics<C> *statistics;
  int64_t first, firstColumn, stride;
  /// Of queries: the highest score so far, and sums of weights and of their gradients in this thread's columns; from the
  /// second pass on what QueryStatistics has.
  C highest[each], total[each], weighted[each];
  C sums[each][numColumns];
};

/// Width: the columns of dk and of dv that a block sums.
template <typename T, typename C, int Width> class KeyGradient {
public:
  using Tiles = AttentionTiles<T, C>;
  static constexpr int tile = Tiles::tile, each = Tiles::each;
  static constexpr int numColumns = Width / tile * each; ///< of dk, and of dv, per thread

  DEVICE KeyGradient(const AttentionGradientParameters &gradients, typename Tiles::Shared &shared,
                     const char *mask, const QueryStatistics<C> *statistics)
      : gradients(gradients), p(gradients.attention), tiles(shared, p.isAligned),
        scores{p, mask, 0, 0}, statistics(statistics) {
    int64_t numTiles = (p.keys + tile - 1) / tile;
    auto block = static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x());
    firstColumn = block % gradients.numParts * Width;
    block /= gradients.numParts;
    first = block % numTiles * tile;
    group = block / numTiles % p.groups;
    scores.batch = block / numTiles / p.groups;
  }

  INLINED_DEVICE void run(const T *q, const T *k, const T *v, const T *g, T *keyGradient,
                          T *valueGradient) {
    int64_t batch = scores.batch, members = p.heads / p.groups;
    HeadRows<T> key{k + batch * p.key[0] + group * p.key[1], p.key[2], p.keys, p.depth};
    HeadRows<T> value{v + batch * p.value[0] + group * p.value[1], p.value[2], p.keys,
                      p.valueDepth};
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < numColumns; ++j)
        keySums[i][j] = valueSums[i][j] = 0;
    for (int64_t head = group * members; head < (group + 1) * members; ++head) {
      scores.head = head;
      HeadRows<T> query{q + batch * p.query[0] + head * p.query[1], p.query[2], p.queries, p.depth};
      HeadRows<T> gradient{g + batch * p.result[0] + head * p.result[1], p.result[2], p.queries,
                           p.valueDepth};
      for (int64_t begin = firstQuery(); begin < p.queries; begin += tile)
        addQueries(key, value, query, gradient, begin);
    }
    const int64_t *strides = gradients.keyGradient;
    T *result = keyGradient + batch * strides[0] + group * strides[1];
    store(result, strides[2], p.depth, static_cast<C>(p.scale), keySums);
    strides = gradients.valueGradient;
    result = valueGradient + batch * strides[0] + group * strides[1];
    store(result, strides[2], p.valueDepth, 1, valueSums);
  }

private:
  /// Of the first tile of queries of which some may see a key of this block.
  DEVICE int64_t firstQuery() const {
    int64_t query = p.isCausal ? first + p.queries - p.keys : 0;
    return query < 0 ? 0 : query / tile * tile;
  }

  INLINED_DEVICE void addQueries(const HeadRows<T> &key, const HeadRows<T> &value,
                                 const HeadRows<T> &query, const HeadRows<T> &gradient,
                                 int64_t begin) {
    __syncthreads(); // All are done with the weights of the tile before.
    C products[each][each], slopes[each][each];
    tiles.multiply(key, first, query, begin, products);
    tiles.multiply(value, first, gradient, begin, slopes);
    const QueryStatistics<C> *found =
        statistics + (scores.batch * p.heads + scores.head) * p.queries;
#pragma unroll
    for (int j = 0; j < each; ++j) {
      int64_t row = begin + tiles.rightRow(j);
#pragma unroll
      for (int i = 0; i < each; ++i) {
        int64_t column = first + tiles.leftRow(i);
        C &weight = tiles.weight(i, j), slope;
        weight = 0;
        if (column < p.keys && scores.isVisible(row, column)) {
          C score = scores.of(products[i][j], row, column, slope);
          weight = fastExponential(score - found[row].highest) * found[row].reciprocal;
          slopes[i][j] = weight * (slopes[i][j] - found[row].mean) * slope;
        } else {
          slopes[i][j] = 0;
        }
      }
    }
    bool hasKeys = first + tiles.leftRow(0) < p.keys;
    tiles.addWeighted(gradient, begin, firstColumn, hasKeys, valueSums);
    __syncthreads(); // All are done with the weights.
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j)
        tiles.weight(i, j) = slopes[i][j];
    tiles.addWeighted(query, begin, firstColumn, hasKeys, keySums);
  }

  INLINED_DEVICE void store(T *result, int64_t stride, int64_t columns, C factor,
                            C (&sums)[each][numColumns]) {
    tiles.forEachSum(sums, first, p.keys, firstColumn, columns,
                     [&](int, int64_t row, int64_t column, C sum) {
                       result[row * stride + column] = static_cast<T>(sum * factor);
                     });
  }

  const AttentionGradientParameters &gradients;
  const AttentionParameters &p;
  Tiles tiles;
  AttentionScores<T, C> scores;
  const QueryStatistics<C> *statistics;
  int64_t first, firstColumn, group;
  C keySums[each][numColumns], valueSums[each][numColumns];
};

} // namespace

/// One for all kernels, of which each uses what it needs.
static __attribute__((shared))
__attribute__((aligned(16))) char blockMemory[sizeof(AttentionTiles<float, float>::Shared)];

#define GRADIENT(name, T, C, width)                                                                \
  KERNEL void attention_query_gradient_##name##_##width(                                           \
      AttentionGradientParameters p, const T *q, const T *k, const T *v, const T *g,               \
      const char *mask, T *queryGradient, QueryStatistics<C> *statistics) {                        \
    using Shared = AttentionTiles<T, C>::Shared;                                                   \
    static_assert(sizeof(Shared) <= sizeof blockMemory);                                           \
    auto &shared = *reinterpret_cast<Shared *>(blockMemory);                                       \
    QueryGradient<T, C, width>(p, shared, q, k, v, g, mask, queryGradient, statistics).run();      \
  }                                                                                                \
  KERNEL void attention_key_gradient_##name##_##width(                                             \
      AttentionGradientParameters p, const T *q, const T *k, const T *v, const T *g,               \
      const char *mask, T *keyGradient, T *valueGradient, const QueryStatistics<C> *statistics) {  \
    using Shared = AttentionTiles<T, C>::Shared;                                                   \
    auto &shared = *reinterpret_cast<Shared *>(blockMemory);                                       \
    KeyGradient<T, C, width>(p, shared, mask, statistics)                                          \
        .run(q, k, v, g, keyGradient, valueGradient);                                              \
  }
#define GRADIENTS(name, T, C) GRADIENT(name, T, C, 64) GRADIENT(name, T, C, 128)
GRADIENTS(f16, _Float16, float)
GRADIENTS(bf16, __bf16, float)
GRADIENTS(f32, float, float)
GRADIENTS(f64, double, double)
