// Matrix products by cuBLASLt: described once, run often.
#ifndef SHEAF_RUNTIME_CUDA_LT_MATMUL_H
#define SHEAF_RUNTIME_CUDA_LT_MATMUL_H

#include "runtime/cuda/cublaslt.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace sheaf::rt::cuda {

/// How a matrix of a batch lies in memory; strides in elements.
struct LtMatrix {
  cudaDataType_t type = CUDA_R_32F;
  int64_t leading = 1;       ///< from one column to the next; columns are dense
  bool isTransposed = false; ///< the product takes the matrix's transpose
  int64_t batchStride = 0;
  uint32_t alignment = 16; ///< bytes, of the first element of each matrix

  auto operator<=>(const LtMatrix &) const = default;
};

/// d = epilogue(alpha * a b + beta * c), column-major: d is [m, n], a [m, k], b [k, n]; c lies as d.
struct LtProblem {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  LtMatrix a, b, d;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  int64_t auxiliaryLeading = 0; ///< from one column of the auxiliary matrix to the next
  // Bytes; 0: there is none. The library takes them from the pointers that it is told before it chooses (cublasLt.h, of
  // CUBLASLT_MATMUL_DESC_BIAS_POINTER and EPILOGUE_AUX_POINTER).
  uint32_t vectorAlignment = 0, auxiliaryAlignment = 0;
  bool hasDeviceFactors = false; ///< alpha and beta are read from the GPU's memory

  auto operator<=>(const LtProblem &) const = default;
};

/// The operands of a run.
struct LtOperands {
  const void *a, *b, *c;
  void *d;
  /// Of the type of d; null where the epilogue has none. A bias [m]; or, written, sums: [n] of rows of b, else [m].
  const void *vector = nullptr;
  /// [m, n] of the type of d: what gelu is applied to, read or written; null where the epilogue has none.
  const void *auxiliary = nullptr;
  /// One f32 each, in the GPU's memory, that a and b of 8-bit floats are multiplied by; null: 1. Other types have none.
  const void *aScale = nullptr, *bScale = nullptr;
  const float *factors = nullptr; ///< alpha and beta, where the problem has them on the GPU
};

/// A product that is ready to run.
class LtMatmul {
public:
  /// `alpha` and `beta` as in LtProblem, without effect where they are on the GPU. Puts the product into `queue`.
  /// `workspace` has `workspaceBytes()` bytes.
  Status run(const LtOperands &operands, double alpha, double beta, void *workspace,
             cudaStream_t queue);

  size_t workspaceBytes() const { return workspace; }

private:
  friend class LtMatmuls;
  template <typename T> using Owned = std::unique_ptr<T, cublasStatus_t (*)(T *)>;

  LtMatmul(cublasLtHandle_t handle, const LtProblem &problem);
  Status describe();

  cublasLtHandle_t handle;
  LtProblem problem;
  Owned<cublasLtMatmulDescOpaque_t> operation;
  Owned<cublasLtMatrixLayoutOpaque_t> aLayout, bLayout, dLayout;
  cublasLtMatmulAlgo_t algorithm{};
  size_t workspace = 0;
};

/// The products of one GPU. What cuBLASLt chose for a problem is remembered.
class LtMatmuls {
public:
  /// Errors: the library is missing.
  static Result<std::unique_ptr<LtMatmuls>> create();
  ~LtMatmuls();

  /// Null when cuBLASLt has no way to compute it.
  Result<std::unique_ptr<LtMatmul>> bind(const LtProblem &problem);

private:
  struct Choice {
    bool exists = false;
    cublasLtMatmulAlgo_t algorithm{};
    size_t workspace = 0;
  };

  LtMatmuls() = default;
  Result<Choice> choose(const LtMatmul &matmul) const;

  cublasLtHandle_t handle = nullptr;
  std::map<LtProblem, Choice> choices;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_LT_MATMUL_H
