// The product that an operation of cuBLASLt computes, with all that it accesses.
#ifndef SHEAF_TEST_STANDIN_CUBLASLT_PRODUCT_H
#define SHEAF_TEST_STANDIN_CUBLASLT_PRODUCT_H

#include "test/standin/cublaslt/descriptor.h"
#include "test/standin/device/operation.h"

namespace sheaf::standin::cublaslt {

/// D = epilogue(alpha * op(A) * op(B) + beta * C).
struct Product {
  MatmulDescriptor descriptor;
  MatrixLayout aLayout, bLayout, cLayout, dLayout;
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void *d = nullptr;
  double alpha = 1, beta = 0;
  const void *deviceFactors[2] = {}; ///< alpha and beta, where they are in the device's memory
  void *workspace = nullptr;
  uint64_t workspaceBytes = 0; ///< that it may leave anything in

  bool isNarrow() const; ///< an operand is of 8-bit floats

  /// What is wrong with its shapes and types, in terms of cuBLAS. `capability`: of the GPU, as 90.
  cublasStatus_t check(int capability) const;
  void run(Execution &execution) const;
};

} // namespace sheaf::standin::cublaslt

#endif
