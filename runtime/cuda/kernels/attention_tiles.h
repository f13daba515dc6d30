// What the kernels of attention share: scores, and products of tiles of rows.
//
// The 256 threads of a block are a square of 16 x 16. Of a tile of products of two sets of rows, thread (y, x) holds a
// small square, of some rows of the left set and some of the right; the 16 threads of one y are half a warp.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H

#include "runtime/cuda/kernels/activation.h"
#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/real.h"

namespace sheaf::rt::cuda {

DEVICE float infinityOf(float) { return __builtin_inff(); }
DEVICE double infinityOf(double) { return __builtin_inf(); }

DEVICE float fastExponential(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
DEVICE double fastExponential(double x) { return Real::exp(x); }

/// As that of f32 in activation.h.
DEVICE double hyperbolicTangent(double x) {
  double size = x < 0 ? -x : x, square = x * x;
  if (size < 0.02) // The next term of the series is below 2^-60 of it.
    return x * (1 - square * (1 / 3.0 - square * (2 / 15.0 -
                                                  square * (17 / 315.0 - square * (62 / 2835.0)))));
  double power = Real::exp(-2 * size), result = (1 - power) / (1 + power);
  return x < 0 ? -result : result;
}

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

/// The sum, and the largest, of what the 16 threads of one y have.
template <typename C> DEVICE C sumOfRow(C value) {
  for (int distance = attentionSide / 2; distance > 0; distance /= 2)
    value += fromLane(value, distance);
  return value;
}
template <typename C> DEVICE C largestOfRow(C value) {
  for (int distance = attentionSide / 2; distance > 0; distance /= 2) {
    C other = fromLane(value, distance);
    value = other > value ? other : value;
  }
  return value;
}

DEVICE int64_t smallerOf(int64_t a, int64_t b) { return a < b ? a : b; }

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

  /// Whether there is such a query, and it sees the key.
  DEVICE bool isVisible(int64_t row, int64_t column) const {
    return row < p.queries && column < visibleKeys(row);
  }

  /// The score of a visible key from its product with the query; `slope` gets the derivative of the softcap.
  DEVICE C of(C product, int64_t row, int64_t column, C &slope) const {
    C score = product * static_cast<C>(p.scale);
    slope = 1;
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
};

/// The rows of one head of a tensor.
template <typename T> struct HeadRows {
  const T *data;
  int64_t stride, numRows, numColumns;
};

/// 16 bytes of elements.
template <typename T> struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

/// Products of tiles of rows by one block. T: elements; C: what sums are kept in.
template <typename T, typename C> class AttentionTiles {
public:
  static constexpr int side = attentionSide, numBlockThreads = side * side;
  static constexpr int tile = attentionTile(sizeof(C) == 8);
  static constexpr int each = tile / side; ///< rows, and columns, of products per thread
  static constexpr int chunk = 32;         ///< of a dot product
  /// Of rows in shared memory, which so begin in other banks.
  static constexpr int pitch = tile + 4;

  struct Shared {
    union {
      struct {
        C left[chunk][pitch], right[chunk][pitch];
      } dot;
      C slice[tile][pitch];
    };
    C weights[tile][pitch]; ///< [right row][left row]
  };

  /// `isAligned`: all rows begin at 16 bytes and have a multiple of them.
  DEVICE AttentionTiles(Shared &shared, bool isAligned) : shared(shared), isAligned(isAligned) {
    int thread = static_cast<int>(__nvvm_read_ptx_sreg_tid_x());
    y = thread / side;
    x = thread % side;
  }

  /// This thread's i-th row of the left set of a tile, and its j-th of the right.
  DEVICE int leftRow(int i) const { return y * each + i; }
  DEVICE int rightRow(int j) const { return x * each + j; }

  /// products = left right^T, of a tile of rows each from the given ones on; rows that don't exist are zeros.
  INLINED_DEVICE void multiply(const HeadRows<T> &left, int64_t firstLeft, const HeadRows<T> &right,
                               int64_t firstRight, C (&products)[each][each]) {
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j)
        products[i][j] = 0;
    // Of short sequences most threads have no rows.
    bool hasRows =
        firstLeft + leftRow(0) < left.numRows && firstRight + rightRow(0) < right.numRows;
    for (int64_t begin = 0; begin < left.numColumns; begin += chunk) {
      __syncthreads(); // All are done with what was in the shared memory.
      load(left, firstLeft, begin, chunk,
           [&](int row, int column, C value) { shared.dot.left[column][row] = value; });
      load(right, firstRight, begin, chunk,
           [&](int row, int column, C value) { shared.dot.right[column][row] = value; });
      __syncthreads();
      int64_t count = hasRows ? smallerOf(left.numColumns - begin, chunk) : 0;
      forEachOf(count, [&](int l) {
        Several a = several(&shared.dot.left[l][y * each]),
                b = several(&shared.dot.right[l][x * each]);
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j)
            products[i][j] += a.at[i] * b.at[j];
      });
    }
  }

  /// The weight of a right row for a left one, for `addWeighted`.
  DEVICE C &weight(int i, int j) { return shared.weights[rightRow(j)][leftRow(i)]; }

  /// sums += weights^T rows, of the tile of rows from `first` on and the columns from `begin` on, a slice of columns
  /// at a time. Thread (y, x) has the sums of its left rows, if it has any, in columns slice * tile + x * each + j.
  template <int Columns>
  INLINED_DEVICE void addWeighted(const HeadRows<T> &rows, int64_t first, int64_t begin,
                                  bool hasLeft, C (&sums)[each][Columns]) {
#pragma unroll
    for (int slice = 0; slice < Columns / each; ++slice) {
      if (begin + slice * tile >= rows.numColumns)
        continue;
      __syncthreads(); // All are done with what was in the shared memory, and the weights are there.
      load(rows, first, begin + slice * tile, tile,
           [&](int row, int column, C value) { shared.slice[row][column] = value; });
      __syncthreads();
      bool hasColumns = begin + slice * tile + x * each < rows.numColumns;
      forEachOf(hasLeft && hasColumns ? smallerOf(rows.numRows - first, tile) : 0, [&](int l) {
        Several a = several(&shared.weights[l][y * each]), b = several(&shared.slice[l][x * each]);
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j)
            sums[i][slice * each + j] += a.at[i] * b.at[j];
      });
    }
  }

  /// Calls `visit(i, row, column, sum)` for the sums of left rows below `numRows` in columns below `numColumns`, when
  /// those of the tile begin at `first` and `begin`.
  template <int Columns, typename Visit>
  INLINED_DEVICE void forEachSum(C (&sums)[each][Columns], int64_t first, int64_t numRows,
                                 int64_t begin, int64_t numColumns, const Visit &visit) const {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (first + leftRow(i) >= numRows)
        continue;
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        int64_t column = begin + j / each * tile + x * each + j % each;
        if (column < numColumns)
          visit(i, first + leftRow(i), column, sums[i][j]);
      }
    }
  }

  int y, x;

private:
  /// Calls `visit(l)` for l in [0, count), and some more below the next multiple of 4: of these there are zeros.
  template <typename Visit> INLINED_DEVICE void forEachOf(int64_t count, const Visit &visit) const {
    for (int l = 0; l < count; l += 4) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        visit(l + i);
    }
  }

  /// Puts columns [begin, begin + columns) of `tile` rows from `first` on into shared memory, zeros where there are
  /// none. `put(row, column, value)`.
  template <typename Put>
  INLINED_DEVICE void load(const HeadRows<T> &rows, int64_t first, int64_t begin, int columns,
                           const Put &put) const {
    constexpr int width = Pack<T>::size;
    int thread = y * side + x;
    // Neighbours take neighbouring rows: what they then write side by side meets no other bank twice.
    for (int i = thread; i < tile * (columns / width); i += numBlockThreads) {
      int at = i % tile, column = i / tile * width;
      Pack<T> pack{};
      const T *source = rows.data + (first + at) * rows.stride + begin + column;
      if (first + at < rows.numRows) {
        if (isAligned) {
          if (begin + column < rows.numColumns)
            pack = *reinterpret_cast<const Pack<T> *>(source);
        } else {
#pragma unroll
          for (int j = 0; j < width; ++j)
            if (begin + column + j < rows.numColumns)
              pack.elements[j] = source[j];
        }
      }
#pragma unroll
      for (int j = 0; j < width; ++j)
        put(at, column + j, static_cast<C>(pack.elements[j]));
    }
  }

  /// Neighbours in shared memory, read at once.
  struct alignas(each * sizeof(C)) Several {
    C at[each];
  };
  static DEVICE Several several(const C *from) { return *reinterpret_cast<const Several *>(from); }

  Shared &shared;
  bool isAligned;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H
