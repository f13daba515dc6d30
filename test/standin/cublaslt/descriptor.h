// What the opaque descriptors of cuBLASLt hold.
#ifndef SHEAF_TEST_STANDIN_CUBLASLT_DESCRIPTOR_H
#define SHEAF_TEST_STANDIN_CUBLASLT_DESCRIPTOR_H

#include <cublasLt.h>

namespace sheaf::standin::cublaslt {

/// One or more matrices of the same shape.
struct MatrixLayout {
  cudaDataType_t type = CUDA_R_32F;
  uint64_t rows = 0, columns = 0;
  int64_t leading =
      0; ///< elements from a column to the next (of a row to the next if `isRowMajor`)
  bool isRowMajor = false;
  int32_t batches = 1;
  int64_t batchStride = 0; ///< in elements
};

struct MatmulDescriptor {
  cublasComputeType_t computeType = CUBLAS_COMPUTE_32F;
  cudaDataType_t scaleType = CUDA_R_32F;
  cublasOperation_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr; ///< or where sums go
  int64_t biasBatchStride = 0;
  int32_t biasType = -1; ///< as the result if it is -1
  const void *auxiliary = nullptr;
  int64_t auxiliaryLeading = 0;
  int32_t pointerMode = CUBLASLT_POINTER_MODE_HOST; ///< of alpha and beta
  const void *aScale = nullptr, *bScale = nullptr;  ///< one f32 each; null: 1
  int8_t fastAccumulation = 0;                      ///< sums are exact here all the same

  bool addsBias() const { return epilogue & CUBLASLT_EPILOGUE_BIAS; }
  bool hasAuxiliary() const { return epilogue & auxiliaryBit; }
  bool isDifferentiated() const {
    return (epilogue & CUBLASLT_EPILOGUE_DGELU) == CUBLASLT_EPILOGUE_DGELU;
  }
  bool sumsResult() const { return epilogue & resultSumsBit; }
  bool sumsOperand() const {
    return epilogue == CUBLASLT_EPILOGUE_BGRADA || epilogue == CUBLASLT_EPILOGUE_BGRADB;
  }
  bool usesVector() const { return addsBias() || sumsResult() || sumsOperand(); }

private:
  static constexpr int auxiliaryBit = CUBLASLT_EPILOGUE_GELU_AUX & ~CUBLASLT_EPILOGUE_GELU;
  static constexpr int resultSumsBit = CUBLASLT_EPILOGUE_DGELU_BGRAD & ~CUBLASLT_EPILOGUE_DGELU;
};

struct Preference {
  uint64_t maxWorkspaceBytes = 0;
  uint32_t alignments[4] = {256, 256, 256, 256}; ///< of A, B, C and D
};

/// What cublasLtMatmulAlgo_t carries from the heuristic to the product.
struct Algorithm {
  uint64_t workspaceBytes;
  uint32_t alignments[4];
  uint32_t vectorAlignment, auxiliaryAlignment; ///< of the pointers that the descriptor had
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

inline MatrixLayout *toLayout(cublasLtMatrixLayout_t handle) {
  return reinterpret_cast<MatrixLayout *>(handle);
}
inline MatmulDescriptor *toDescriptor(cublasLtMatmulDesc_t handle) {
  return reinterpret_cast<MatmulDescriptor *>(handle);
}

/// 0 if the type is not supported.
uint64_t bytesOf(cudaDataType_t type);

} // namespace sheaf::standin::cublaslt

#endif
