// Attention: a block computes the results of a tile of queries of one head, and meets the keys a tile at a time.
//
// Source: the softmax is kept up to date as scores come (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018), and what was summed before is rescaled when a larger score comes (Dao et al., "FlashAttention",
// NeurIPS 2022), so that the scores of a tile are all that exists of them.
//
// The 256 threads are a square of 16 x 16. Thread (y, x) holds the scores of a small square of queries (rows) and keys
// (columns), and the sums of the same rows in some columns of the result; the 16 threads of a row are half a warp.
#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/real.h"

using namespace sheaf::rt::cuda;

namespace {

constexpr int side = attentionSide, numBlockThreads = side * side;

DEVICE float infinityOf(float) { return __builtin_inff(); }
DEVICE double infinityOf(double) { return __builtin_inf(); }

DEVICE float exponential(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
DEVICE double exponential(double x) { return Real::exp(x); }

DEVICE float fromLane(float value, int distance) {
  return __nvvm_shfl_sync_bfly_f32(~0u, value, distance, 31);
}
DEVICE double fromLane(double value, int distance) {
  auto bits = __builtin_bit_cast(uint64_t, value);
  auto low =
      static_cast<uint32_t>(__nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(bits), distance, 31));
  auto high = static_cast<uint32_t>(
      __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(bits >> 32), distance, 31));
  return __builtin_bit_cast(double, static_cast<uint64_t>(high) << 32 | low);
}

/// 16 bytes of elements.
template <typename T> struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

/// T: elements; C: what sums are kept in; Width: the most columns of the result.
template <typename T, typename C, int Width> class Attention {
public:
  static constexpr int tile = attentionTile(sizeof(C) == 8);
  static constexpr int each = tile / side; ///< rows and columns of scores per thread
  static constexpr int chunk = 32;         ///< of a dot product
  static constexpr int pitch =
      tile + 4; ///< of rows in shared memory, which so begin in other banks
  static constexpr int numSlices = Width / tile; ///< of the result's columns

  struct Shared {
    union {
      struct {
        C query[chunk][pitch], key[chunk][pitch];
      } dot;
      C value[tile][pitch];
    };
    C weights[tile][pitch]; ///< [key][query]
  };

  DEVICE Attention(const AttentionParameters &p, Shared &shared, const T *q, const T *k, const T *v,
                   const char *mask, T *out)
      : p(p), shared(shared), mask(mask) {
    int thread = static_cast<int>(__nvvm_read_ptx_sreg_tid_x());
    y = thread / side;
    x = thread % side;
    int64_t numTiles = (p.queries + tile - 1) / tile;
    auto block = static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x());
    // The last tiles see the most keys, where not all do: they begin first.
    first = (numTiles - 1 - block % numTiles) * tile;
    head = block / numTiles % p.heads;
    batch = block / numTiles / p.heads;
    int64_t group = head / (p.heads / p.groups);
    query = q + batch * p.query[0] + head * p.query[1];
    key = k + batch * p.key[0] + group * p.key[1];
    value = v + batch * p.value[0] + group * p.value[1];
    result = out + batch * p.result[0] + head * p.result[1];
  }

  DEVICE void run() {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      highest[i] = -infinityOf(C());
      total[i] = 0;
#pragma unroll
      for (int j = 0; j < numSlices * each; ++j)
        sums[i][j] = 0;
    }
    int64_t last = min(first + tile, p.queries) - 1;
    for (int64_t begin = 0, end = visibleKeys(last); begin < end; begin += tile) {
      __syncthreads(); // All are done with the weights of the tile before.
      C scores[each][each];
      multiplyKeys(begin, scores);
      addMask(begin, scores);
      weigh(scores);
      addValues(begin);
    }
    store();
  }

private:
  static DEVICE int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

  DEVICE int64_t visibleKeys(int64_t row) const {
    if (!p.isCausal)
      return p.keys;
    int64_t seen = row + p.keys - p.queries + 1;
    return seen < 0 ? 0 : min(seen, p.keys);
  }

  DEVICE int64_t rowOf(int i) const { return first + y * each + i; }

  /// Puts columns [begin, begin + columns) of `tile` rows from `row` on into `to`, zeros where there are none.
  /// `put(row, column, value)`.
  template <typename Put>
  DEVICE void load(const T *from, int64_t stride, int64_t row, int64_t numRows, int64_t begin,
                   int64_t numColumns, int columns, const Put &put) const {
    constexpr int width = Pack<T>::size;
    int thread = y * side + x;
    // Neighbours take neighbouring rows: what they then write side by side meets no other bank twice.
    for (int i = thread; i < tile * (columns / width); i += numBlockThreads) {
      int at = i % tile, column = i / tile * width;
      Pack<T> pack{};
      const T *source = from + (row + at) * stride + begin + column;
      if (row + at < numRows) {
        if (p.isAligned) {
          if (begin + column < numColumns)
            pack = *reinterpret_cast<const Pack<T> *>(source);
        } else {
#pragma unroll
          for (int j = 0; j < width; ++j)
            if (begin + column + j < numColumns)
              pack.elements[j] = source[j];
        }
      }
#pragma unroll
      for (int j = 0; j < width; ++j)
        put(at, column + j, static_cast<C>(pack.elements[j]));
    }
  }

  /// scores = scale * q k^T, of keys from `begin` on.
  DEVICE void multiplyKeys(int64_t begin, C (&scores)[each][each]) {
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j)
        scores[i][j] = 0;
    for (int64_t depth = 0; depth < p.depth; depth += chunk) {
      __syncthreads(); // All are done with what was in the shared memory.
      load(query, p.query[2], first, p.queries, depth, p.depth, chunk,
           [&](int row, int column, C value) { shared.dot.query[column][row] = value; });
      load(key, p.key[2], begin, p.keys, depth, p.depth, chunk,
           [&](int row, int column, C value) { shared.dot.key[column][row] = value; });
      __syncthreads();
#pragma unroll 4
      for (int l = 0; l < chunk; ++l) {
        Several a = several(&shared.dot.query[l][y * each]),
                b = several(&shared.dot.key[l][x * each]);
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j)
            scores[i][j] += a.at[i] * b.at[j];
      }
    }
  }

  /// Scales, adds the mask, and hides what must not be seen.
  DEVICE void addMask(int64_t begin, C (&scores)[each][each]) const {
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j) {
        int64_t row = rowOf(i), column = begin + x * each + j;
        if (row >= p.queries || column >= visibleKeys(row)) {
          scores[i][j] = -infinityOf(C());
          continue;
        }
        scores[i][j] *= static_cast<C>(p.scale);
        if (!p.hasMask)
          continue;
        int64_t at = batch * p.mask[0] + head * p.mask[1] + row * p.mask[2] + column * p.mask[3];
        scores[i][j] += p.isMaskWide ? static_cast<C>(reinterpret_cast<const float *>(mask)[at])
                                     : static_cast<C>(reinterpret_cast<const T *>(mask)[at]);
      }
  }

  /// Turns scores into weights in shared memory, relative to the highest so far.
  DEVICE void weigh(const C (&scores)[each][each]) {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      C top = highest[i];
#pragma unroll
      for (int j = 0; j < each; ++j)
        top = scores[i][j] > top ? scores[i][j] : top;
      for (int distance = side / 2; distance > 0; distance /= 2) {
        C other = fromLane(top, distance);
        top = other > top ? other : top;
      }
      // Where nothing is seen yet all weights become 0, not NaN.
      C base = top == -infinityOf(C()) ? C(0) : top;
      C rescale = exponential(highest[i] - base), sum = 0;
      highest[i] = top;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        C weight = exponential(scores[i][j] - base);
        shared.weights[x * each + j][y * each + i] = weight;
        sum += weight;
      }
      total[i] = total[i] * rescale + sum;
#pragma unroll
      for (int j = 0; j < numSlices * each; ++j)
        sums[i][j] *= rescale;
    }
  }

  /// sums += weights * v, a slice of columns at a time.
  DEVICE void addValues(int64_t begin) {
#pragma unroll
    for (int slice = 0; slice < numSlices; ++slice) {
      if (slice * tile >= p.valueDepth)
        continue;
      __syncthreads(); // All are done with what was in the shared memory, and the weights are there.
      load(value, p.value[2], begin, p.keys, slice * tile, p.valueDepth, tile,
           [&](int row, int column, C value) { shared.value[row][column] = value; });
      __syncthreads();
#pragma unroll 4
      for (int l = 0; l < tile; ++l) {
        Several a = several(&shared.weights[l][y * each]), b = several(&shared.value[l][x * each]);
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j)
            sums[i][slice * each + j] += a.at[i] * b.at[j];
      }
    }
  }

  DEVICE void store() {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      C sum = total[i]; // each thread's part
      for (int distance = side / 2; distance > 0; distance /= 2)
        sum += fromLane(sum, distance);
      int64_t row = rowOf(i);
      if (row >= p.queries)
        continue;
      C reciprocal = sum == 0 ? C(0) : 1 / sum;
#pragma unroll
      for (int j = 0; j < numSlices * each; ++j) {
        int column = j / each * tile + x * each + j % each;
        if (column < p.valueDepth)
          result[row * p.result[2] + column] = static_cast<T>(sums[i][j] * reciprocal);
      }
    }
  }

  /// Neighbours in shared memory, read at once.
  struct alignas(each * sizeof(C)) Several {
    C at[each];
  };
  static DEVICE Several several(const C *from) { return *reinterpret_cast<const Several *>(from); }

  const AttentionParameters &p;
  Shared &shared;
  const char *mask;
  const T *query, *key, *value;
  T *result;
  int64_t first, head, batch;
  int y, x;
  C highest[each], total[each]; ///< per row; the total is of this thread's columns
  C sums[each][numSlices * each];
};

} // namespace

/// One for all kernels, of which each uses what it needs.
static __attribute__((shared))
__attribute__((aligned(16))) char blockMemory[sizeof(Attention<float, float, 64>::Shared)];

#define ATTENTION(name, T, C, width)                                                               \
  KERNEL void attention_##name##_##width(AttentionParameters p, const T *q, const T *k,            \
                                         const T *v, const char *mask, T *result) {                \
    using Tiles = Attention<T, C, width>;                                                          \
    static_assert(sizeof(Tiles::Shared) <= sizeof blockMemory);                                    \
    auto &shared = *reinterpret_cast<Tiles::Shared *>(blockMemory);                                \
    Tiles(p, shared, q, k, v, mask, result).run();                                                 \
  }
#define ATTENTIONS(name, T, C)                                                                     \
  ATTENTION(name, T, C, 64) ATTENTION(name, T, C, 128) ATTENTION(name, T, C, 256)
ATTENTIONS(f16, _Float16, float)
ATTENTIONS(bf16, __bf16, float)
ATTENTIONS(f32, float, float)
ATTENTIONS(f64, double, double)
