// Products of tiles of rows of 16-bit floats by tensor cores: 4 warps have 16 of the 64 rows on the left each, and meet
// all rows on the right.
//
// Source: Dao, "FlashAttention-2", 2023, section 3.3: warps share rows on the right and exchange nothing. Weights never
// leave registers: the layout of sums is that of matrices on the left (tensor_core.h), rounded to the elements' type.
//
// In shared memory a row has 16 bytes more than its elements, so that the 8 rows of a matrix lie in all banks, once.
// There a warp reads 32 bytes for a row on the right and 16 columns, and does 16 x 16 multiplications and additions
// with them: 16 flops a byte, where a tile of AttentionTiles has one flop a byte (3.6, counting once what threads read
// alike).
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_MATRIX_TILES_H
#define SHEAF_RUNTIME_CUDA_KERNELS_MATRIX_TILES_H

#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/head_rows.h"
#include "runtime/cuda/kernels/tensor_core.h"
#include "runtime/cuda/kernels/warp.h"

namespace sheaf::rt::cuda {

/// T: elements; Slice: the columns in shared memory at a time, 64 or 128; NumRight: rows on the right, 32 or 64.
template <typename T, int Slice, int NumRight> class MatrixTiles {
public:
  using Sum = float;
  static constexpr int numThreads = attentionMatrixThreads;
  /// The rows of a tile on the left and on the right, and how many of each a thread has products of.
  static constexpr int tile = attentionTile(false), numRight = NumRight;
  static constexpr int rows = 2, columns = numRight / 4;
  /// Of sums in so many columns, per thread and row.
  template <int Width> static constexpr int numSums = Width / 4;

  static constexpr int packsPerRow = Slice / 8 + 1; ///< in shared memory

  struct Shared {
    Pack<T> left[tile][packsPerRow], right[numRight][packsPerRow];
  };

  /// A tile of rows on the left, of which the first `Width` columns are in registers; 0 or a multiple of Slice.
  template <int Width> struct Held {
    HeadRows<T> rows;
    int64_t first;
    LeftFragment fragments[Width / 16 + 1];
  };

  /// `isAligned`: all rows begin at 16 bytes and have a multiple of them.
  DEVICE MatrixTiles(Shared &shared, bool isAligned) : shared(shared), isAligned(isAligned) {
    thread = static_cast<int>(__nvvm_read_ptx_sreg_tid_x());
    lane = thread % 32;
    firstRow = thread / 32 * 16;
    leftAddress = sharedAddress(&shared.left[firstRow + lane % 16][lane / 16]);
    rightAddress = sharedAddress(&shared.right[lane / 16 * 8 + lane % 8][lane / 8 % 2]);
    transposedAddress = sharedAddress(&shared.right[lane % 16][lane / 16]);
  }

  /// This thread's i-th row of the left set of a tile, and its first of the right; its j-th is so many steps on.
  DEVICE int leftRow(int i) const { return firstRow + lane / 4 + 8 * i; }
  DEVICE int firstRight() const { return unforeseen(lane) % 4 * 2; }
  static DEVICE int rightStep(int j) { return j / 2 * 8 + j % 2; }
  /// Of the threads that have products of the same left rows.
  DEVICE bool isFirstOfRow() const { return lane % 4 == 0; }
  /// The sum, and the largest, of what these threads have.
  DEVICE float sumOfRow(float value) const { return sumOfLanes<4>(value); }
  DEVICE float largestOfRow(float value) const { return largestOfLanes<4>(value); }

  /// Takes the rows from `first` on for the left.
  template <int Width>
  INLINED_DEVICE void hold(const HeadRows<T> &rows, int64_t first, Held<Width> &held) {
    held.rows = rows;
    held.first = first;
#pragma unroll
    for (int begin = 0; begin < Width; begin += Slice) {
      if (begin >= rows.numColumns)
        continue;
      __syncthreads(); // All are done with what was in the shared memory.
      load(rows, first, begin, shared.left);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < Slice / 16; ++k)
        held.fragments[begin / 16 + k] = leftFragment(k);
    }
  }

  /// products = left right^T, with the right rows from `firstRight` on; rows that don't exist are zeros.
  template <int Width>
  INLINED_DEVICE void multiply(const Held<Width> &left, const HeadRows<T> &right,
                               int64_t firstRight, float (&products)[rows][columns]) {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j)
        products[i][j] = 0;
    // Of short sequences most warps have no rows.
    bool hasRows = left.first + firstRow < left.rows.numRows;
#pragma unroll
    for (int begin = 0; begin < Width; begin += Slice) {
      if (begin >= right.numColumns)
        continue;
      __syncthreads(); // All are done with what was in the shared memory.
      load(right, firstRight, begin, shared.right);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < Slice / 16; ++k)
        if (hasRows && begin + k / 2 * 32 < right.numColumns)
          addProducts(left.fragments[begin / 16 + k], k, products);
    }
#pragma unroll 1
    for (int64_t begin = Width; begin < right.numColumns; begin += Slice) {
      __syncthreads(); // All are done with what was in the shared memory.
      load(left.rows, left.first, begin, shared.left);
      load(right, firstRight, begin, shared.right);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < Slice / 16; ++k)
        if (hasRows && begin + k / 2 * 32 < right.numColumns)
          addProducts(leftFragment(k), k, products);
    }
  }

  /// sums += weights right, of the tile of right rows from `first` on, in their columns from `begin` on, when so many
  /// left rows are left.
  template <int Columns>
  INLINED_DEVICE void addWeighted(const float (&weights)[rows][columns], int64_t numLeft,
                                  const HeadRows<T> &right, int64_t first, int64_t begin,
                                  float (&sums)[rows][Columns]) {
    LeftFragment left[numRight / 16];
#pragma unroll
    for (int k = 0; k < numRight / 16; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float *pair = &weights[i % 2][k * 4 + i / 2 * 2];
        left[k].pairs[i] = pairOf<T>(pair[0], pair[1]);
      }
#pragma unroll
    for (int slice = 0; slice < Columns * 4; slice += Slice) {
      if (begin + slice >= right.numColumns)
        continue;
      __syncthreads(); // All are done with what was in the shared memory.
      load(right, first, begin + slice, shared.right);
      __syncthreads();
#pragma unroll
      for (int column = 0; column < Slice; column += 32)
        if (firstRow < numLeft && begin + slice + column < right.numColumns)
          addColumns(left, column, (slice + column) / 4, sums);
    }
  }

  /// Calls `visit(i, row, column, sum)` for the sums of left rows below `numRows` in columns below `numColumns`, when
  /// those of the tile begin at `first` and `begin`.
  template <int Columns, typename Visit>
  INLINED_DEVICE void forEachSum(float (&sums)[rows][Columns], int64_t first, int64_t numRows,
                                 int64_t begin, int64_t numColumns, const Visit &visit) const {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      if (first + leftRow(i) >= numRows)
        continue;
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        int64_t column = begin + firstRight() + rightStep(j);
        if (column < numColumns)
          visit(i, first + leftRow(i), column, sums[i][j]);
      }
    }
  }

private:
  static constexpr int rowBytes = packsPerRow * sizeof(Pack<T>);

  /// Puts a slice of columns of a tile of rows into shared memory, zeros where there are none.
  template <int NumRows>
  INLINED_DEVICE void load(const HeadRows<T> &from, int64_t first, int64_t begin,
                           Pack<T> (&to)[NumRows][packsPerRow]) const {
    constexpr int perRow = Slice / 8, step = numThreads / perRow, count = NumRows / step;
    int some = unforeseen(thread), column = some % perRow * 8, row = some / perRow;
    const T *source =
        from.at(first + row, begin + column); // Neighbours take what lies side by side.
    Pack<T> *target = &to[row][column / 8];
    int64_t numRows = from.numRows - first - row, numColumns = from.numColumns - begin - column;
    if (isAligned) {
      Pack<T> packs[count]; // All of them are on their way before the first is there.
#pragma unroll
      for (int i = 0; i < count; ++i, source += step * from.stride)
        packs[i] = from.pack(source, i * step < numRows ? numColumns : 0, true);
#pragma unroll
      for (int i = 0; i < count; ++i)
        target[i * step * packsPerRow] = packs[i];
      return;
    }
#pragma unroll 1
    for (int i = 0; i < count; ++i, source += step * from.stride, target += step * packsPerRow)
      *target = from.pack(source, i * step < numRows ? numColumns : 0, false);
  }

  /// Of this warp's rows in shared memory, columns 16 k and the 15 behind.
  INLINED_DEVICE LeftFragment leftFragment(int k) const {
    LeftFragment result;
    loadMatrices(result.pairs, leftAddress, k * 32);
    return result;
  }

  /// products += of columns 16 k and the 15 behind of the right rows in shared memory with `left`.
  INLINED_DEVICE void addProducts(const LeftFragment &left, int k,
                                  float (&products)[rows][columns]) const {
#pragma unroll
    for (int row = 0; row < numRight; row += 16) {
      uint32_t right[4]; // of two matrices of 8 rows
      loadMatrices(right, rightAddress, row * rowBytes + k * 32);
      add(left, right[0], right[1], row / 4, products);
      add(left, right[2], right[3], row / 4 + 2, products);
    }
  }

  /// sums, from `at` on, += left right, of 32 columns of shared memory from `column` on.
  template <int Columns>
  INLINED_DEVICE void addColumns(const LeftFragment (&left)[numRight / 16], int column, int at,
                                 float (&sums)[rows][Columns]) const {
#pragma unroll
    for (int k = 0; k < numRight / 16; ++k)
#pragma unroll
      for (int n = 0; n < 32; n += 16) {
        uint32_t right[4]; // of two matrices of 8 columns
        loadTransposed(right, transposedAddress, k * 16 * rowBytes + (column + n) * 2);
        add(left[k], right[0], right[1], at + n / 4, sums);
        add(left[k], right[2], right[3], at + n / 4 + 2, sums);
      }
  }

  template <int Columns>
  static DEVICE void add(const LeftFragment &left, uint32_t right0, uint32_t right1, int at,
                         float (&sums)[rows][Columns]) {
    multiplyAdd(T(), sums[0][at], sums[0][at + 1], sums[1][at], sums[1][at + 1], left, right0,
                right1);
  }

  /// The value, and no one knows it before: what follows from it takes no registers from tile to tile.
  static DEVICE int unforeseen(int value) {
    asm volatile("" : "+r"(value));
    return value;
  }

  Shared &shared;
  bool isAligned;
  int thread, lane, firstRow;
  /// Of this thread's row of the matrices that a warp reads at once: its left rows, and two matrices side by side of
  /// 16 right rows, or one above the other.
  uint32_t leftAddress, rightAddress, transposedAddress;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_MATRIX_TILES_H
