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
// Each element is summed by one thread: no atomics, and the same bits every time. Of 16-bit elements p and dc are rounded
// to the elements' type before they meet rows.
#include "runtime/cuda/kernels/attention_scores.h"
#include "runtime/cuda/kernels/attention_tiles.h"
#include "runtime/cuda/kernels/matrix_tiles.h"

using namespace sheaf::rt::cuda;

namespace {

/// Of a query: exp(score - highest) * reciprocal are its weights.
template <typename C> struct QueryStatistics {
  C highest, reciprocal;
  C mean; ///< of the gradients of its weights
};

/// T: elements; Tiles: who multiplies; Width: the columns of dq that a block sums; Held: of those of queries and of
/// gradients, how many are kept in registers.
template <typename T, typename Tiles, int Width, int Held> class QueryGradient {
public:
  using C = typename Tiles::Sum;
  static constexpr int tile = Tiles::tile, rows = Tiles::rows, columns = Tiles::columns;

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
    typename Tiles::template Held<Held> queries, gradients;
    tiles.hold(query, first, queries);
    tiles.hold(gradient, first, gradients);
    softmax.start();
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      mean[i] = 0;
#pragma unroll
      for (int j = 0; j < numSums; ++j)
        sums[i][j] = 0;
    }
    int64_t last = smallerOf(first + tile, p.queries) - 1, end = scores.visibleKeys(last);
#pragma unroll 1 // Two copies of the products would be twice the code.
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t begin = 0; begin < end; begin += Tiles::numRight) {
        C products[rows][columns], slopes[rows][columns];
        tiles.multiply(queries, key, begin, products);
        tiles.multiply(gradients, value, begin, slopes);
        if (pass == 0) {
          addStatistics(begin, products, slopes);
          continue;
        }
        if (scores.isPlain())
          findGradients<true>(begin, products, slopes);
        else
          findGradients<false>(begin, products, slopes);
        tiles.addWeighted(products, p.queries - first, key, begin, firstColumn, sums);
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
  static constexpr int numSums = Tiles::template numSums<Width>;

  /// Leaves what is found of the queries.
  INLINED_DEVICE void finishStatistics() {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      C &highest = softmax.highest[i];
      reciprocals[i] = softmax.reciprocal(tiles, i);
      mean[i] = tiles.sumOfRow(mean[i]) * reciprocals[i];
      if (highest == -infinityOf(C()))
        highest = 0; // All weights are 0, not NaN.
      int64_t row = first + tiles.leftRow(i);
      if (firstColumn == 0 && tiles.isFirstOfRow() && row < p.queries)
        statistics[row] = {highest, reciprocals[i], mean[i]};
    }
  }

  /// Turns products of queries and keys into the gradients of scores, by those of weights.
  template <bool isPlain>
  INLINED_DEVICE void findGradients(int64_t begin, C (&products)[rows][columns],
                                    const C (&slopes)[rows][columns]) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      int64_t row = first + tiles.leftRow(i), column = begin + tiles.firstRight();
      int numVisible = scores.visibleOf(row, column, Tiles::numRight);
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        int step = Tiles::rightStep(j);
        C slope, weight = 0;
        if (step < numVisible) {
          C score = scores.template of<isPlain>(products[i][j], row, column + step, slope);
          weight = weightOf(score, softmax.highest[i]) * reciprocals[i] * (slopes[i][j] - mean[i]) *
                   slope;
        }
        products[i][j] = weight;
      }
    }
  }

  /// Adds a tile of keys to what is found of the queries.
  INLINED_DEVICE void addStatistics(int64_t begin, C (&products)[rows][columns],
                                    const C (&slopes)[rows][columns]) {
    C rescale[rows];
    scores.ofTile(tiles, first, begin, products);
    softmax.weigh(tiles, products, rescale);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      mean[i] *= rescale[i];
#pragma unroll
      for (int j = 0; j < columns; ++j)
        mean[i] += products[i][j] * slopes[i][j];
    }
  }

  const AttentionParameters &p;
  Tiles tiles;
  AttentionScores<T, C> scores;
  HeadRows<T> query, key, value, gradient;
  T *result;
  QueryStatistics<C> *statistics;
  int64_t first, firstColumn, stride;
  RunningSoftmax<Tiles> softmax;
  C reciprocals[rows];
  C mean[rows]; ///< as statistics have it; in the first pass this thread's part, and not divided
  C sums[rows][numSums];
};

/// Width: the columns of dk and of dv that a block sums; Held: of keys and of values, how many are kept in registers.
template <typename T, typename Tiles, int Width, int Held> class KeyGradient {
public:
  using C = typename Tiles::Sum;
  static constexpr int tile = Tiles::tile, rows = Tiles::rows, columns = Tiles::columns;

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
    typename Tiles::template Held<Held> keys, values;
    tiles.hold({k + batch * p.key[0] + group * p.key[1], p.key[2], p.keys, p.depth}, first, keys);
    tiles.hold({v + batch * p.value[0] + group * p.value[1], p.value[2], p.keys, p.valueDepth},
               first, values);
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < numSums; ++j)
        keySums[i][j] = valueSums[i][j] = 0;
    for (int64_t head = group * members; head < (group + 1) * members; ++head) {
      scores.head = head;
      HeadRows<T> query{q + batch * p.query[0] + head * p.query[1], p.query[2], p.queries, p.depth};
      HeadRows<T> gradient{g + batch * p.result[0] + head * p.result[1], p.result[2], p.queries,
                           p.valueDepth};
      for (int64_t begin = firstQuery(); begin < p.queries; begin += Tiles::numRight) {
        C weights[rows][columns], slopes[rows][columns];
        tiles.multiply(keys, query, begin, weights);
        tiles.multiply(values, gradient, begin, slopes);
        if (scores.isPlain())
          findGradients<true>(begin, weights, slopes);
        else
          findGradients<false>(begin, weights, slopes);
        tiles.addWeighted(weights, p.keys - first, gradient, begin, firstColumn, valueSums);
        tiles.addWeighted(slopes, p.keys - first, query, begin, firstColumn, keySums);
      }
    }
    const int64_t *strides = gradients.keyGradient;
    T *result = keyGradient + batch * strides[0] + group * strides[1];
    store(result, strides[2], p.depth, static_cast<C>(p.scale), keySums);
    strides = gradients.valueGradient;
    result = valueGradient + batch * strides[0] + group * strides[1];
    store(result, strides[2], p.valueDepth, 1, valueSums);
  }

private:
  static constexpr int numSums = Tiles::template numSums<Width>;

  /// Of the first tile of queries of which some may see a key of this block.
  DEVICE int64_t firstQuery() const {
    int64_t query = p.isCausal ? first + p.queries - p.keys : 0;
    return query < 0 ? 0 : query / Tiles::numRight * Tiles::numRight;
  }

  /// Turns products of keys and queries into weights, and the gradients of weights into those of scores.
  template <bool isPlain>
  INLINED_DEVICE void findGradients(int64_t begin, C (&weights)[rows][columns],
                                    C (&slopes)[rows][columns]) {
    const QueryStatistics<C> *found =
        statistics + (scores.batch * p.heads + scores.head) * p.queries;
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      int64_t row = begin + tiles.firstRight() + Tiles::rightStep(j);
      int numVisible = scores.visibleOf(row, first, tile);
      QueryStatistics<C> query{};
      if (numVisible > 0)
        query = found[row];
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        C slope, weight = 0, gradient = 0;
        if (tiles.leftRow(i) < numVisible) {
          C score =
              scores.template of<isPlain>(weights[i][j], row, first + tiles.leftRow(i), slope);
          weight = weightOf(score, query.highest) * query.reciprocal;
          gradient = weight * (slopes[i][j] - query.mean) * slope;
        }
        weights[i][j] = weight;
        slopes[i][j] = gradient;
      }
    }
  }

  INLINED_DEVICE void store(T *result, int64_t stride, int64_t numColumns, C factor,
                            C (&sums)[rows][numSums]) {
    tiles.forEachSum(sums, first, p.keys, firstColumn, numColumns,
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
  C keySums[rows][numSums], valueSums[rows][numSums];
};

} // namespace

/// Of all kernels with tiles alike, of which each uses what it needs.
template <typename Tiles>
static __attribute__((shared))
__attribute__((aligned(16))) char blockMemory[sizeof(typename Tiles::Shared)];

/// `held`: columns in registers. `blocks`: of so many at a time a multiprocessor is to have the registers.
#define QUERY_GRADIENT(name, T, Tiles, width, held, blocks)                                        \
  KERNEL LAUNCHED(Tiles::numThreads, blocks) void attention_query_gradient_##name##_##width(       \
      AttentionGradientParameters p, const T *q, const T *k, const T *v, const T *g,               \
      const char *mask, T *queryGradient, QueryStatistics<Tiles::Sum> *statistics) {               \
    auto &shared = *reinterpret_cast<typename Tiles::Shared *>(blockMemory<Tiles>);                \
    QueryGradient<T, Tiles, width, held>(p, shared, q, k, v, g, mask, queryGradient, statistics)   \
        .run();                                                                                    \
  }
#define KEY_GRADIENT(name, T, Tiles, width, held, blocks)                                          \
  KERNEL LAUNCHED(Tiles::numThreads, blocks) void attention_key_gradient_##name##_##width(         \
      AttentionGradientParameters p, const T *q, const T *k, const T *v, const T *g,               \
      const char *mask, T *keyGradient, T *valueGradient,                                          \
      const QueryStatistics<Tiles::Sum> *statistics) {                                             \
    auto &shared = *reinterpret_cast<typename Tiles::Shared *>(blockMemory<Tiles>);                \
    KeyGradient<T, Tiles, width, held>(p, shared, mask, statistics)                                \
        .run(q, k, v, g, keyGradient, valueGradient);                                              \
  }
#define GRADIENTS(name, T, Tiles)                                                                  \
  QUERY_GRADIENT(name, T, Tiles, 64, 0, 1)                                                         \
  QUERY_GRADIENT(name, T, Tiles, 128, 0, 1)                                                        \
  KEY_GRADIENT(name, T, Tiles, 64, 0, 1)                                                           \
  KEY_GRADIENT(name, T, Tiles, 128, 0, 1)
#define MATRIX_GRADIENTS(name, T)                                                                  \
  using Square_##name = MatrixTiles<T, 64, 64>;                                                    \
  using Narrow_##name = MatrixTiles<T, 64, 32>;                                                    \
  QUERY_GRADIENT(name, T, Square_##name, 64, 64, 2)                                                \
  QUERY_GRADIENT(name, T, Square_##name, 128, 0, 2)                                                \
  KEY_GRADIENT(name, T, Narrow_##name, 64, 64, 2)                                                  \
  KEY_GRADIENT(name, T, Narrow_##name, 128, 0, 2)
MATRIX_GRADIENTS(f16, _Float16)
MATRIX_GRADIENTS(bf16, __bf16)
GRADIENTS(f32, float, AttentionTiles<float>)
GRADIENTS(f64, double, AttentionTiles<double>)
