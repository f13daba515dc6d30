// Products of 8-bit floats: what is multiplied, and what is refused as the library's documentation has it.
#include "test/standin/cudart/device_test.h"

#include <cublasLt.h>

namespace sheaf::standin {
namespace {

constexpr auto e4m3 = CUDA_R_8F_E4M3, e5m2 = CUDA_R_8F_E5M2;

/// d = a^T b with a [k, m] and b [k, n], dense columns.
struct Case {
  cudaDataType_t a = e4m3, b = e4m3, d = CUDA_R_32F;
  uint64_t m = 16, n = 3, k = 16;
  cublasOperation_t transposeA = CUBLAS_OP_T, transposeB = CUBLAS_OP_N;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cudaDataType_t biasType = CUDA_R_16BF;
  uint32_t alignment = 16;
  int64_t padding = 0; ///< of a's columns, in elements
};

class NarrowMatmul : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    cublasLtDestroy(handle);
    DeviceTest::TearDown();
  }

  template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }

  static cublasLtMatrixLayout_t layout(cudaDataType_t type, uint64_t rows, uint64_t columns,
                                       int64_t leading) {
    cublasLtMatrixLayout_t made = nullptr;
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&made, type, rows, columns, leading),
              CUBLAS_STATUS_SUCCESS);
    return made;
  }

  void describe(const Case &c) {
    ASSERT_EQ(cublasLtMatmulDescCreate(&descriptor, c.compute, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATMUL_DESC_TRANSA, c.transposeA);
    set(CUBLASLT_MATMUL_DESC_TRANSB, c.transposeB);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, c.epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<int32_t>(c.biasType));
    const bool isT = c.transposeA == CUBLAS_OP_T, isBT = c.transposeB == CUBLAS_OP_T;
    const auto rows = static_cast<int64_t>(isT ? c.k : c.m);
    a = layout(c.a, isT ? c.k : c.m, isT ? c.m : c.k, rows + c.padding);
    b = layout(c.b, isBT ? c.n : c.k, isBT ? c.k : c.n, static_cast<int64_t>(isBT ? c.n : c.k));
    d = layout(c.d, c.m, c.n, static_cast<int64_t>(c.m));
  }

  cublasStatus_t choose(const Case &c) {
    describe(c);
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    for (auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      cublasLtMatmulPreferenceSetAttribute(preference, attribute, &c.alignment, sizeof c.alignment);
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    return cublasLtMatmulAlgoGetHeuristic(handle, descriptor, a, b, d, d, preference, 1, &result,
                                          &found);
  }

  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t descriptor = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
};

TEST_F(NarrowMatmul, multipliesByItsScales) {
  Case c;
  describe(c);
  // 1.5 in every place of a, -0.25 of b: as their 8 bits.
  auto upload = [](uint8_t bits, size_t count) {
    std::vector<uint8_t> bytes(count, bits);
    void *at = nullptr;
    EXPECT_EQ(cudaMalloc(&at, count), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(at, bytes.data(), count, cudaMemcpyHostToDevice), cudaSuccess);
    return at;
  };
  void *left = upload(0x3c, c.k * c.m), *right = upload(0xa8, c.k * c.n);
  float *scales = DeviceTest::upload(std::vector<float>{2, 4, 0.5, 0});
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void *>(scales));
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void *>(scales + 1));
  float *result = allocate(c.m * c.n);
  const float alpha = 1, beta = 0;
  ASSERT_EQ(cublasLtMatmul(handle, descriptor, &alpha, left, a, right, b, &beta, result, d, result,
                           d, nullptr, nullptr, 0, first),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_EQ(download(result, c.m * c.n), std::vector<float>(c.m * c.n, 16 * 1.5F * -0.25F * 8));

  // Alpha and beta in the memory of the device.
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, static_cast<int32_t>(CUBLASLT_POINTER_MODE_DEVICE));
  ASSERT_EQ(cublasLtMatmul(handle, descriptor, scales + 2, left, a, right, b, scales + 3, result, d,
                           result, d, nullptr, nullptr, 0, first),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_EQ(download(result, c.m * c.n), std::vector<float>(c.m * c.n, 16 * 1.5F * -0.25F * 4));
}

TEST_F(NarrowMatmul, takesTheTypesOfItsTable) {
  constexpr auto taken = CUBLAS_STATUS_SUCCESS, refused = CUBLAS_STATUS_NOT_SUPPORTED;
  for (cudaDataType_t type : {CUDA_R_32F, CUDA_R_16BF, CUDA_R_16F}) {
    EXPECT_EQ(choose({.d = type}), taken);
    EXPECT_EQ(choose({.b = e5m2, .d = type}), taken);
    EXPECT_EQ(choose({.a = e5m2, .d = type}), taken);
    EXPECT_EQ(choose({.a = e5m2, .b = e5m2, .d = type}), refused);
    EXPECT_EQ(choose({.b = CUDA_R_16BF, .d = type}), refused);
  }
  EXPECT_EQ(choose({.d = CUDA_R_64F}), refused);
  EXPECT_EQ(choose({.compute = CUBLAS_COMPUTE_32F_FAST_TF32}), refused);
  constexpr auto bias = CUBLASLT_EPILOGUE_GELU_BIAS;
  EXPECT_EQ(choose({.epilogue = bias}), taken);
  EXPECT_EQ(choose({.epilogue = bias, .biasType = CUDA_R_32F}), refused);
  EXPECT_EQ(choose({.d = CUDA_R_16F, .epilogue = bias, .biasType = CUDA_R_16F}), taken);
  EXPECT_EQ(choose({.d = CUDA_R_16F, .epilogue = bias}), refused);
}

TEST_F(NarrowMatmul, wantsRowsOfWholeSixteenBytes) {
  constexpr auto refused = CUBLAS_STATUS_NOT_SUPPORTED;
  EXPECT_EQ(choose({.transposeA = CUBLAS_OP_N}), refused);
  EXPECT_EQ(choose({.n = 16, .transposeB = CUBLAS_OP_T}), refused);
  EXPECT_EQ(choose({.m = 8}), refused);
  EXPECT_EQ(choose({.k = 24}), refused);
  EXPECT_EQ(choose({.alignment = 8}), refused);
  EXPECT_EQ(choose({.padding = 8}), refused);
  EXPECT_EQ(choose({.padding = 16}), CUBLAS_STATUS_SUCCESS);
}

TEST_F(NarrowMatmul, widerTypesHaveNoScales) {
  describe({.a = CUDA_R_16BF, .b = CUDA_R_16BF});
  float *scale = DeviceTest::upload(std::vector<float>{1});
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void *>(scale));
  const float alpha = 1, beta = 0;
  EXPECT_EQ(cublasLtMatmul(handle, descriptor, &alpha, scale, a, scale, b, &beta, scale, d, scale,
                           d, nullptr, nullptr, 0, first),
            CUBLAS_STATUS_INVALID_VALUE);
}

} // namespace
} // namespace sheaf::standin
