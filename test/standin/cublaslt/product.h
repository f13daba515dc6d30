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
  void *workspace = nullptr;
  uint64_t workspaceBytes = 0; ///< that it may leave anything in

  /// What is wrong with its shapes and types, in terms of cuBLAS.
  cublasStatus_t check() const;
  void run(Execution &execution) const;
};

} // namespace sheaf::standin::cublaslt

#endif
