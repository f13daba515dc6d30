// Products of tiles of rows by the threads of a block, for elements of 32 and 64 bits, with all their bits.
//
// The 256 threads of a block are a square of 16 x 16. Of a tile of products of two sets of rows, thread (y, x) holds a
// small square, of some rows of the left set and some of the right; the 16 threads of one y are half a warp.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H

#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/head_rows.h"
#include "runtime/cuda/kernels/warp.h"

namespace sheaf::rt::cuda {

/// T: elements, and what sums are kept in. Used as MatrixTiles.
template <typename T> class AttentionTiles {
public:
  using Sum = T;
  static constexpr int side = attentionSide, numThreads = side * side;
  static constexpr int tile = attentionTile(sizeof(T) == 8), numRight = tile;
  static constexpr int each = tile / side, rows = each, columns = each;
  template <int Width> static constexpr int numSums = Width / tile * each;

  /// Nothing is kept of rows on the left.
  template <int Width> struct Held {
    HeadRows<T> rows;
    int64_t first;
  };

private:
  static constexpr int chunk = 32; ///< of a dot product
  /// Of rows in shared memory, which so begin in other banks.
  static constexpr int pitch = tile + 4;

public:
  struct Shared {
    union {
      struct {
        T left[chunk][pitch], right[chunk][pitch];
      } dot;
      T slice[tile][pitch];
    };
    T weights[tile][pitch]; ///< [right row][left row]
  };

  DEVICE AttentionTiles(Shared &shared, bool isAligned) : shared(shared), isAligned(isAligned) {
    int thread = static_cast<int>(__nvvm_read_ptx_sreg_tid_x());
    y = thread / side;
    x = thread % side;
  }

  DEVICE int leftRow(int i) const { return y * each + i; }
  DEVICE int firstRight() const { return x * each; }
  static DEVICE int rightStep(int j) { return j; }
  DEVICE bool isFirstOfRow() const { return x == 0; }
  DEVICE T sumOfRow(T value) const { return sumOfLanes<side>(value); }
  DEVICE T largestOfRow(T value) const { return largestOfLanes<side>(value); }

  template <int Width> DEVICE void hold(const HeadRows<T> &rows, int64_t first, Held<Width> &held) {
    held = {rows, first};
  }

  template <int Width>
  INLINED_DEVICE void multiply(const Held<Width> &left, const HeadRows<T> &right, int64_t first,
                               T (&products)[rows][columns]) {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j)
        products[i][j] = 0;
    // Of short sequences most threads have no rows.
    bool hasRows = left.first + leftRow(0) < left.rows.numRows && first + x * each < right.numRows;
    for (int64_t begin = 0; begin < right.numColumns; begin += chunk) {
      __syncthreads(); // All are done with what was in the shared memory.
      load(left.rows, left.first, begin, chunk,
           [&](int row, int column, T value) { shared.dot.left[column][row] = value; });
      load(right, first, begin, chunk,
           [&](int row, int column, T value) { shared.dot.right[column][row] = value; });
      __syncthreads();
      int64_t count = hasRows ? smallerOf(right.numColumns - begin, chunk) : 0;
      forEachOf(count, [&](int l) {
        Several a = several(&shared.dot.left[l][y * each]),
                b = several(&shared.dot.right[l][x * each]);
#pragma unroll
        for (int i = 0; i < rows; ++i)
#pragma unroll
          for (int j = 0; j < columns; ++j)
            products[i][j] += a.at[i] * b.at[j];
      });
    }
  }

  template <int Columns>
  INLINED_DEVICE void addWeighted(const T (&weights)[rows][columns], int64_t numLeft,
                                  const HeadRows<T> &right, int64_t first, int64_t begin,
                                  T (&sums)[rows][Columns]) {
    __syncthreads(); // All are done with the weights before, and with what else was in the shared memory.
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j)
        shared.weights[firstRight() + j][leftRow(i)] = weights[i][j];
#pragma unroll
    for (int slice = 0; slice < Columns / each; ++slice) {
      if (begin + slice * tile >= right.numColumns)
        continue;
      if (slice > 0)
        __syncthreads(); // All are done with the slice before.
      load(right, first, begin + slice * tile, tile,
           [&](int row, int column, T value) { shared.slice[row][column] = value; });
      __syncthreads(); // The weights are there, too.
      bool hasSums = leftRow(0) < numLeft && begin + slice * tile + x * each < right.numColumns;
      forEachOf(hasSums ? smallerOf(right.numRows - first, tile) : 0, [&](int l) {
        Several a = several(&shared.weights[l][y * each]), b = several(&shared.slice[l][x * each]);
#pragma unroll
        for (int i = 0; i < rows; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j)
            sums[i][slice * each + j] += a.at[i] * b.at[j];
      });
    }
  }

  template <int Columns, typename Visit>
  INLINED_DEVICE void forEachSum(T (&sums)[rows][Columns], int64_t first, int64_t numRows,
                                 int64_t begin, int64_t numColumns, const Visit &visit) const {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
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
  INLINED_DEVICE void load(const HeadRows<T> &from, int64_t first, int64_t begin, int numColumns,
                           const Put &put) const {
    constexpr int width = Pack<T>::size;
    int thread = y * side + x;
    // Neighbours take neighbouring rows: what they then write side by side meets no other bank twice.
    for (int i = thread; i < tile * (numColumns / width); i += numThreads) {
      int at = i % tile, column = i / tile * width;
      int64_t count = first + at < from.numRows ? from.numColumns - begin - column : 0;
      Pack<T> pack = from.pack(from.at(first + at, begin + column), count, isAligned);
#pragma unroll
      for (int j = 0; j < width; ++j)
        put(at, column + j, pack.elements[j]);
    }
  }

  /// Neighbours in shared memory, read at once.
  struct alignas(each * sizeof(T)) Several {
    T at[each];
  };
  static DEVICE Several several(const T *from) { return *reinterpret_cast<const Several *>(from); }

  Shared &shared;
  bool isAligned;
  int y, x;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_TILES_H
