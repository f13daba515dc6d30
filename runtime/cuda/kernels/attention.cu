// Attention: a block computes the results of a tile of queries of one head, and meets the keys a tile at a time.
//
// The scores of a tile are all that exists of them (Dao et al., "FlashAttention", NeurIPS 2022). Weights of 16-bit
// elements, each at most 1, are rounded to the elements' type before they meet the values.
#include "runtime/cuda/kernels/attention_scores.h"
#include "runtime/cuda/kernels/attention_tiles.h"
#include "runtime/cuda/kernels/matrix_tiles.h"

using namespace sheaf::rt::cuda;

namespace {

/// T: elements; Tiles: who multiplies; Width: the most columns of the result; Held: of those of queries, how many are
/// kept in registers.
template <typename T, typename Tiles, int Width, int Held> class Attention {
public:
  using C = typename Tiles::Sum;
  static constexpr int tile = Tiles::tile, rows = Tiles::rows, columns = Tiles::columns;

  DEVICE Attention(const AttentionParameters &p, typename Tiles::Shared &shared, const T *q,
                   const T *k, const T *v, const char *mask, T *out)
      : p(p), tiles(shared, p.isAligned), scores{p, mask, 0, 0} {
    int64_t numTiles = (p.queries + tile - 1) / tile;
    auto block = static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x());
    // The last tiles see the most keys, where not all do: they begin first.
    first = (numTiles - 1 - block % numTiles) * tile;
    int64_t head = scores.head = block / numTiles % p.heads;
    int64_t batch = scores.batch = block / numTiles / p.heads;
    int64_t group = head / (p.heads / p.groups);
    query = {q + batch * p.query[0] + head * p.query[1], p.query[2], p.queries, p.depth};
    key = {k + batch * p.key[0] + group * p.key[1], p.key[2], p.keys, p.depth};
    value = {v + batch * p.value[0] + group * p.value[1], p.value[2], p.keys, p.valueDepth};
    result = out + batch * p.result[0] + head * p.result[1];
  }

  INLINED_DEVICE void run() {
    typename Tiles::template Held<Held> queries;
    tiles.hold(query, first, queries);
    softmax.start();
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < numSums; ++j)
        sums[i][j] = 0;
    int64_t last = smallerOf(first + tile, p.queries) - 1, end = scores.visibleKeys(last);
    for (int64_t begin = 0; begin < end; begin += Tiles::numRight) {
      C weights[rows][columns], rescale[rows];
      tiles.multiply(queries, key, begin, weights);
      scores.ofTile(tiles, first, begin, weights);
      softmax.weigh(tiles, weights, rescale);
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < numSums; ++j)
          sums[i][j] *= rescale[i];
      tiles.addWeighted(weights, p.queries - first, value, begin, 0, sums);
    }
    store();
  }

private:
  static constexpr int numSums = Tiles::template numSums<Width>;

  INLINED_DEVICE void store() {
    C reciprocals[rows];
#pragma unroll
    for (int i = 0; i < rows; ++i)
      reciprocals[i] = softmax.reciprocal(tiles, i);
    tiles.forEachSum(sums, first, p.queries, 0, p.valueDepth,
                     [&](int i, int64_t row, int64_t column, C sum) {
                       result[row * p.result[2] + column] = static_cast<T>(sum * reciprocals[i]);
                     });
  }

  const AttentionParameters &p;
  Tiles tiles;
  AttentionScores<T, C> scores;
  HeadRows<T> query, key, value;
  T *result;
  int64_t first;
  RunningSoftmax<Tiles> softmax;
  C sums[rows][numSums];
};

} // namespace

/// Of all kernels with tiles alike, of which each uses what it needs.
template <typename Tiles>
static __attribute__((shared))
__attribute__((aligned(16))) char blockMemory[sizeof(typename Tiles::Shared)];

/// `blocks`: of so many at a time a multiprocessor is to have the registers.
#define ATTENTION(name, T, Tiles, width, held, blocks)                                             \
  KERNEL LAUNCHED(Tiles::numThreads, blocks) void attention_##name##_##width(                      \
      AttentionParameters p, const T *q, const T *k, const T *v, const char *mask, T *result) {    \
    auto &shared = *reinterpret_cast<typename Tiles::Shared *>(blockMemory<Tiles>);                \
    Attention<T, Tiles, width, held>(p, shared, q, k, v, mask, result).run();                      \
  }
#define ATTENTIONS(name, T, Tiles, blocks)                                                         \
  ATTENTION(name, T, Tiles, 64, 0, blocks)                                                         \
  ATTENTION(name, T, Tiles, 128, 0, 1)                                                             \
  ATTENTION(name, T, Tiles, 256, 0, 1)
#define MATRIX_ATTENTIONS(name, T)                                                                 \
  using Small_##name = MatrixTiles<T, 64, 64>;                                                         \
  using Large_##name = MatrixTiles<T, 128, 64>;                                                        \
  ATTENTION(name, T, Small_##name, 64, 64, 4)                                                      \
  ATTENTION(name, T, Large_##name, 128, 128, 2)                                                    \
  ATTENTION(name, T, Large_##name, 256, 128, 2)
MATRIX_ATTENTIONS(f16, _Float16)
MATRIX_ATTENTIONS(bf16, __bf16)
ATTENTIONS(f32, float, AttentionTiles<float>, 2)
ATTENTIONS(f64, double, AttentionTiles<double>, 1)
