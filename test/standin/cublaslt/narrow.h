// Products of 8-bit floats: their values, and what cuBLASLt takes of them.
#ifndef SHEAF_TEST_STANDIN_CUBLASLT_NARROW_H
#define SHEAF_TEST_STANDIN_CUBLASLT_NARROW_H

#include "test/standin/cublaslt/product.h"

namespace sheaf::standin::cublaslt {

/// FP8 as the library names it: CUDA_R_8F_E4M3 or CUDA_R_8F_E5M2.
bool isNarrow(cudaDataType_t type);

/// The value of the 8 bits.
double valueOf(cudaDataType_t type, uint8_t bits);

/// What is wrong with a product of which an operand is narrow, shapes apart. `capability`: of the GPU, as 90.
///
/// Source: "cublasLtMatmul()" in the documentation of cuBLAS 13: its requirements for FP8 kernels, and their types.
cublasStatus_t checkNarrow(const Product &product, int capability);

} // namespace sheaf::standin::cublaslt

#endif
