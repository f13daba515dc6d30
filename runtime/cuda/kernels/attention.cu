// Attention: a block computes the results of a tile of queries of one head, and meets the keys a tile at a time.
//
// Source: the softmax is kept up to date as scores come (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018), and what was summed before is rescaled when a larger score comes (Dao et al., "FlashAttention",
// NeurIPS 2022), so that the scores of a tile are all that exists of them.
#include "runtime/cuda/kernels/attention_tiles.h"

using namespace sheaf::rt::cuda;

namespace {

/// T: elements; C: what sums are kept in; Width: the most columns of the result.
template <typename T, typename C, int Width> class Attention {
public:
  using Tiles = AttentionTiles<T, C>;
  static constexpr int tile = Tiles::tile, each = Tiles::each;
  static constexpr int numColumns = Width / tile * each; ///< of the result per thread

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
#pragma unroll
    for (int i = 0; i < each; ++i) {
      highest[i] = -infinityOf(C());
      total[i] = 0;
#pragma unroll
      for (int j = 0; j < numColumns; ++j)
        sums[i][j] = 0;
    }
    int64_t last = smallerOf(first + tile, p.queries) - 1;
    for (int64_t begin = 0, end = scores.visibleKeys(last); begin < end; begin += tile) {
      __syncthreads(); // All are done with the weights of the tile before.
      C products[each][each];
      tiles.multiply(query, first, key, begin, products);
      weigh(begin, products);
      tiles.addWeighted(value, begin, 0, first + tiles.leftRow(0) < p.queries, sums);
    }
    store();
  }

private:
  /// Turns products into weights in shared memory, relative to the highest score so far.
  INLINED_DEVICE void weigh(int64_t begin, C (&products)[each][each]) {
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
      // Where nothing is seen yet all weights become 0, not NaN.
      C base = top == -infinityOf(C()) ? C(0) : top;
      C rescale = fastExponential(highest[i] - base), sum = 0;
      highest[i] = top;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        C weight = fastExponential(products[i][j] - base);
        tiles.weight(i, j) = weight;
        sum += weight;
      }
      total[i] = total[i] * rescale + sum;
#pragma unroll
      for (int j = 0; j < numColumns; ++j)
        sums[i][j] *= rescale;
    }
  }

  INLINED_DEVICE void store() {
    C reciprocals[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      C sum = sumOfRow(total[i]); // each thread's part
      reciprocals[i] = sum == 0 ? C(0) : 1 / sum;
    }
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
  C highest[each], total[each]; ///< per row; the total is of this thread's columns
  C sums[each][numColumns];
};

} // namespace

/// One for all kernels, of which each uses what it needs.
static __attribute__((shared))
__attribute__((aligned(16))) char blockMemory[sizeof(AttentionTiles<float, float>::Shared)];

#define ATTENTION(name, T, C, width)                                                               \
  KERNEL void attention_##name##_##width(AttentionParameters p, const T *q, const T *k,            \
                                         const T *v, const char *mask, T *result) {                \
    using Shared = AttentionTiles<T, C>::Shared;                                                   \
    static_assert(sizeof(Shared) <= sizeof blockMemory);                                           \
    auto &shared = *reinterpret_cast<Shared *>(blockMemory);                                       \
    Attention<T, C, width>(p, shared, q, k, v, mask, result).run();                                \
  }
#define ATTENTIONS(name, T, C)                                                                     \
  ATTENTION(name, T, C, 64) ATTENTION(name, T, C, 128) ATTENTION(name, T, C, 256)
ATTENTIONS(f16, _Float16, float)
ATTENTIONS(bf16, __bf16, float)
ATTENTIONS(f32, float, float)
ATTENTIONS(f64, double, double)
