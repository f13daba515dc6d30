// What the host gives to the kernels that sum up rows.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ROW_SUM_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ROW_SUM_PARAMETERS_H

#include <stdint.h>

namespace sheaf::rt::cuda {

/// sums[j] = sum over i < rows of matrix[i * rowStride + j * columnStride]; strides in elements.
struct RowSumParameters {
  int64_t rows, columns, rowStride, columnStride;
};

/// Columns that a block sums up at once; its threads share their rows.
inline constexpr int rowSumColumns = 32;

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ROW_SUM_PARAMETERS_H
