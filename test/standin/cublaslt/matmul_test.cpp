// Products in all layouts, types and epilogues against sums in double precision.
#include "test/standin/cudart/device_test.h"
#include "test/standin/ptx/half.h"

#include <cublasLt.h>
#include <numeric>

namespace sheaf::standin {
namespace {

using testing::HasSubstr;

struct Shape {
  uint64_t m, n, k;
  int32_t batches;
};

class Matmul : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    describe(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  }
  void TearDown() override {
    cublasLtDestroy(handle);
    DeviceTest::TearDown();
  }

  void describe(cublasComputeType_t compute, cudaDataType_t scale) {
    ASSERT_EQ(cublasLtMatmulDescCreate(&descriptor, compute, scale), CUBLAS_STATUS_SUCCESS);
  }
  template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  cublasLtMatrixLayout_t layout(cudaDataType_t type, uint64_t rows, uint64_t columns,
                                int64_t leading, int32_t batches = 1, int64_t stride = 0) {
    cublasLtMatrixLayout_t made = nullptr;
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&made, type, rows, columns, leading),
              CUBLAS_STATUS_SUCCESS);
    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches,
                                     sizeof batches);
    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                     sizeof stride);
    return made;
  }
  /// Small whole numbers, of which all sums are exact.
  static std::vector<float> numbers(size_t count, int seed) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(static_cast<int>((i * 37 + seed * 11) % 13) - 6);
    return values;
  }

  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t descriptor = nullptr;
};

TEST_F(Matmul, multipliesInEveryTransposition) {
  const Shape s{5, 7, 3, 2};
  const int64_t ldA = 8, ldB = 9, ldD = 6; // with gaps, which must stay as they are
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      set(CUBLASLT_MATMUL_DESC_TRANSA, ta ? CUBLAS_OP_T : CUBLAS_OP_N);
      set(CUBLASLT_MATMUL_DESC_TRANSB, tb ? CUBLAS_OP_T : CUBLAS_OP_N);
      auto a = numbers(200, 1), b = numbers(200, 2), d = numbers(200, 3);
      float *deviceA = upload(a), *deviceB = upload(b), *deviceD = upload(d);
      auto layoutA = layout(CUDA_R_32F, ta ? s.k : s.m, ta ? s.m : s.k, ldA, s.batches, 80);
      auto layoutB = layout(CUDA_R_32F, tb ? s.n : s.k, tb ? s.k : s.n, ldB, s.batches, 90);
      auto layoutD = layout(CUDA_R_32F, s.m, s.n, ldD, s.batches, 60);
      const float alpha = 2, beta = 3;
      ASSERT_EQ(cublasLtMatmul(handle, descriptor, &alpha, deviceA, layoutA, deviceB, layoutB,
                               &beta, deviceD, layoutD, deviceD, layoutD, nullptr, nullptr, 0,
                               first),
                CUBLAS_STATUS_SUCCESS);
      ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
      auto expected = d;
      for (int batch = 0; batch < s.batches; ++batch)
        for (uint64_t i = 0; i < s.m; ++i)
          for (uint64_t j = 0; j < s.n; ++j) {
            float sum = 0;
            for (uint64_t k = 0; k < s.k; ++k)
              sum += a[batch * 80 + (ta ? k + i * ldA : i + k * ldA)] *
                     b[batch * 90 + (tb ? j + k * ldB : k + j * ldB)];
            float &out = expected[batch * 60 + i + j * ldD];
            out = 2 * sum + 3 * out;
          }
      EXPECT_EQ(download(deviceD, 200), expected) << ta << tb;
    }
  }
}

TEST_F(Matmul, epiloguesAddABiasPerRowAndActivate) {
  auto a = numbers(6, 1), b = numbers(6, 2), bias = numbers(2, 5);
  float *deviceA = upload(a), *deviceB = upload(b), *deviceD = allocate(4);
  const float *deviceBias = upload(bias);
  const float alpha = 0.25f, beta = 0;
  for (auto [epilogue, f] :
       {std::pair(
            CUBLASLT_EPILOGUE_BIAS, +[](double x) { return x; }),
        std::pair(
            CUBLASLT_EPILOGUE_RELU_BIAS, +[](double x) { return x > 0 ? x : 0; }),
        std::pair(
            CUBLASLT_EPILOGUE_GELU_BIAS, +[](double x) {
              return x / (1 + std::exp(-1.5957691216 * (x + 0.044715 * x * x * x)));
            })}) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, deviceBias);
    auto layoutD = layout(CUDA_R_32F, 2, 2, 2);
    ASSERT_EQ(cublasLtMatmul(handle, descriptor, &alpha, deviceA, layout(CUDA_R_32F, 2, 3, 2),
                             deviceB, layout(CUDA_R_32F, 3, 2, 3), &beta, deviceD, layoutD, deviceD,
                             layoutD, nullptr, nullptr, 0, first),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    auto d = download(deviceD, 4);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
          sum += a[i + 2 * k] * b[k + 3 * j];
        EXPECT_NEAR(d[i + 2 * j], f(0.25 * sum + bias[i]), 1e-5);
      }
  }
}

double gelu(double x) { return x / (1 + std::exp(-1.5957691216 * (x + 0.044715 * x * x * x))); }

/// By differences.
double geluDerivative(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

TEST_F(Matmul, geluWritesWhatItIsAppliedToAndItsGradientReadsIt) {
  const uint64_t m = 8, n = 3, k = 2;
  const int64_t leading = 16; // with gaps, which must stay as they are
  auto a = numbers(m * k, 1), b = numbers(k * n, 2), gaps = numbers(leading * n, 4);
  float *deviceA = upload(a), *deviceB = upload(b), *deviceD = allocate(m * n);
  float *auxiliary = upload(gaps), *sums = allocate(m);
  const float alpha = 0.125f, beta = 0;
  auto layoutD = layout(CUDA_R_32F, m, n, m);
  auto multiply = [&](cublasLtEpilogue_t epilogue) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, auxiliary);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, leading);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums);
    EXPECT_EQ(cublasLtMatmul(handle, descriptor, &alpha, deviceA, layout(CUDA_R_32F, m, k, m),
                             deviceB, layout(CUDA_R_32F, k, n, k), &beta, deviceD, layoutD, deviceD,
                             layoutD, nullptr, nullptr, 0, first),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    return download(deviceD, m * n);
  };
  auto product = [&](uint64_t i, uint64_t j) {
    double sum = 0;
    for (uint64_t inner = 0; inner < k; ++inner)
      sum += a[i + m * inner] * b[inner + k * j];
    return sum * alpha;
  };
  auto activated = multiply(CUBLASLT_EPILOGUE_GELU_AUX);
  auto kept = download(auxiliary, leading * n);
  for (uint64_t j = 0; j < n; ++j)
    for (uint64_t i = 0; i < leading; ++i)
      EXPECT_EQ(kept[i + leading * j], i < m ? product(i, j) : gaps[i + leading * j]);
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j)
      EXPECT_NEAR(activated[i + m * j], gelu(product(i, j)), 1e-5);
  auto gradient = multiply(CUBLASLT_EPILOGUE_DGELU_BGRAD), total = download(sums, m);
  for (uint64_t i = 0; i < m; ++i) {
    double sum = 0;
    for (uint64_t j = 0; j < n; ++j) {
      double value = product(i, j) * geluDerivative(product(i, j));
      EXPECT_NEAR(gradient[i + m * j], value, 1e-4);
      sum += value;
    }
    EXPECT_NEAR(total[i], sum, 1e-4);
  }
}

TEST_F(Matmul, rowsOfAnOperandAreSummedUpWithoutAlpha) {
  const uint64_t m = 3, n = 2, k = 5;
  auto a = numbers(m * k, 1), b = numbers(k * n, 2);
  float *deviceA = upload(a), *deviceB = upload(b), *deviceD = upload(numbers(m * n, 3));
  const float alpha = 2, beta = 1;
  auto layoutD = layout(CUDA_R_32F, m, n, m);
  set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
  for (bool isA : {true, false}) {
    float *sums = allocate(m);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, isA ? CUBLASLT_EPILOGUE_BGRADA : CUBLASLT_EPILOGUE_BGRADB);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums);
    ASSERT_EQ(cublasLtMatmul(handle, descriptor, &alpha, deviceA, layout(CUDA_R_32F, m, k, m),
                             deviceB, layout(CUDA_R_32F, n, k, n), &beta, deviceD, layoutD, deviceD,
                             layoutD, nullptr, nullptr, 0, first),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    const uint64_t count = isA ? m : n;
    auto found = download(sums, count);
    for (uint64_t i = 0; i < count; ++i) {
      float sum = 0;
      for (uint64_t inner = 0; inner < k; ++inner)
        sum += isA ? a[i + m * inner] : b[i + n * inner];
      EXPECT_EQ(found[i], sum);
    }
  }
}

TEST_F(Matmul, epiloguesOfGradientsAreRefusedAsTheLibraryRefusesThem) {
  float *a = upload(numbers(64, 1)), *d = allocate(65);
  const float alpha = 1, beta = 0;
  auto square = layout(CUDA_R_32F, 8, 8, 8);
  auto multiply = [&](cublasLtEpilogue_t epilogue,
                      const cublasLtMatmulAlgo_t *algorithm = nullptr) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    return cublasLtMatmul(handle, descriptor, &alpha, a, square, a, square, &beta, d, square, d,
                          square, algorithm, nullptr, 0, first);
  };
  const void *nothing = nullptr;
  const float *something = upload(numbers(64, 2)), *sums = allocate(16);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, something);
  for (int64_t leading :
       {int64_t(0), int64_t(4), int64_t(12)}) { // none, too short, no multiple of 8
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, leading);
    EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_GELU_AUX), CUBLAS_STATUS_INVALID_VALUE) << leading;
    EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DGELU), CUBLAS_STATUS_INVALID_VALUE) << leading;
  }
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(8));
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DRELU), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_BGRADB), CUBLAS_STATUS_NOT_SUPPORTED);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_BGRADA), CUBLAS_STATUS_NOT_SUPPORTED);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nothing);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DGELU_BGRAD), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, nothing);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DGELU_BGRAD), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, something);
  // The heuristic takes the alignment of the pointers that it is told for granted.
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU_BGRAD);
  ASSERT_EQ(cublasLtMatmulAlgoGetHeuristic(handle, descriptor, square, square, square, square,
                                           preference, 1, &result, &found),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DGELU_BGRAD, &result.algo), CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums + 1);
  EXPECT_EQ(multiply(CUBLASLT_EPILOGUE_DGELU_BGRAD, &result.algo), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Matmul, shortFloatsSumInSingle) {
  std::vector<ptx::BFloat> a(300, ptx::narrow<ptx::BFloat>(1.0)),
      b(300, ptx::narrow<ptx::BFloat>(1.0));
  void *deviceA = nullptr, *deviceB = nullptr;
  ASSERT_EQ(cudaMalloc(&deviceA, 600), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&deviceB, 600), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(deviceA, a.data(), 600, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(deviceB, b.data(), 600, cudaMemcpyHostToDevice), cudaSuccess);
  float *deviceD = allocate(1);
  const float alpha = 1, beta = 0;
  auto layoutD = layout(CUDA_R_32F, 1, 1, 1);
  ASSERT_EQ(cublasLtMatmul(handle, descriptor, &alpha, deviceA, layout(CUDA_R_16BF, 1, 300, 1),
                           deviceB, layout(CUDA_R_16BF, 300, 1, 300), &beta, deviceD, layoutD,
                           deviceD, layoutD, nullptr, nullptr, 0, first),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_EQ(download(deviceD, 1)[0], 300);
}

TEST_F(Matmul, theHeuristicPromisesAlignmentAndWorkspace) {
  float *a = upload(numbers(16, 1)), *d = allocate(17);
  auto square = layout(CUDA_R_32F, 4, 4, 4);
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  const uint64_t most = 1 << 20;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                       sizeof most);
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  ASSERT_EQ(cublasLtMatmulAlgoGetHeuristic(handle, descriptor, square, square, square, square,
                                           preference, 1, &result, &found),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(found, 1);
  float *workspace = allocate(result.workspaceSize / 4);
  const float alpha = 1, beta = 0;
  auto multiply = [&](float *to, size_t bytes, cudaStream_t stream) {
    return cublasLtMatmul(handle, descriptor, &alpha, a, square, a, square, &beta, to, square, to,
                          square, &result.algo, workspace, bytes, stream);
  };
  EXPECT_EQ(multiply(d + 1, result.workspaceSize, first), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(d, result.workspaceSize - 1, first), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(d, result.workspaceSize, first), CUBLAS_STATUS_SUCCESS);
  // Two products must not share a workspace at the same time.
  multiply(allocate(16), result.workspaceSize, second);
  EXPECT_THAT(failure(), HasSubstr("(matmul) writes 4096 bytes"));
}

TEST_F(Matmul, wrongShapesAndTypesAreRefused) {
  float *a = upload(numbers(16, 1));
  const float alpha = 1, beta = 0;
  auto multiply = [&](cublasLtMatrixLayout_t left, cublasLtMatrixLayout_t right) {
    auto square = layout(CUDA_R_32F, 4, 4, 4);
    return cublasLtMatmul(handle, descriptor, &alpha, a, left, a, right, &beta, a, square, a,
                          square, nullptr, nullptr, 0, first);
  };
  EXPECT_EQ(multiply(layout(CUDA_R_32F, 4, 3, 4), layout(CUDA_R_32F, 4, 4, 4)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(layout(CUDA_R_32F, 4, 4, 3), layout(CUDA_R_32F, 4, 4, 4)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(layout(CUDA_R_64F, 4, 4, 4), layout(CUDA_R_64F, 4, 4, 4)),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(layout(CUDA_R_8I, 4, 4, 4), layout(CUDA_R_8I, 4, 4, 4)),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
} // namespace sheaf::standin
