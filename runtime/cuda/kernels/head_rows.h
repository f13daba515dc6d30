// The rows of heads that attention multiplies.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_HEAD_ROWS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_HEAD_ROWS_H

#include "runtime/cuda/kernels/device.h"

namespace sheaf::rt::cuda {

DEVICE int64_t smallerOf(int64_t a, int64_t b) { return a < b ? a : b; }

/// 16 bytes of elements.
template <typename T> struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

/// The rows of one head of a tensor.
template <typename T> struct HeadRows {
  const T *data;
  int64_t stride, numRows, numColumns;

  DEVICE const T *at(int64_t row, int64_t column) const { return data + row * stride + column; }

  /// The elements at `source`, of a row that has so many from there on, and zeros behind them. `isAligned`: all rows
  /// begin at 16 bytes and have a multiple of them.
  static DEVICE Pack<T> pack(const T *source, int64_t count, bool isAligned) {
    Pack<T> result{};
    if (!isAligned) {
#pragma unroll
      for (int i = 0; i < Pack<T>::size; ++i)
        if (i < count)
          result.elements[i] = source[i];
    } else if (count > 0) {
      result = *reinterpret_cast<const Pack<T> *>(source);
    }
    return result;
  }
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_HEAD_ROWS_H
