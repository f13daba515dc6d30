// Convolutions and their gradients against sums written out here.
#include "test/standin/cudart/device_test.h"

#include <cudnn.h>

namespace sheaf::standin {
namespace {

using testing::HasSubstr;

class Convolutions : public DeviceTest {
protected:
  // 2 images of 4 channels in 2 groups, 5 x 6; 6 filters of 3 x 2; stride 2 x 1, pad 1 x 0, dilation 1 x 2.
  static constexpr int n = 2, c = 4, h = 5, w = 6, k = 6, r = 3, s = 2, groups = 2, p = 3, q = 4;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(cudnnCreate(&handle), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnSetStream(handle, first), CUDNN_STATUS_SUCCESS);
    cudnnCreateTensorDescriptor(&x);
    cudnnCreateTensorDescriptor(&y);
    cudnnCreateFilterDescriptor(&filter);
    cudnnCreateConvolutionDescriptor(&geometry);
    // The input lies channels last, the output channels first.
    const int xSizes[] = {n, c, h, w}, xStrides[] = {c * h * w, 1, w * c, c};
    const int ySizes[] = {n, k, p, q}, yStrides[] = {k * p * q, p * q, q, 1};
    const int wSizes[] = {k, c / groups, r, s};
    ASSERT_EQ(cudnnSetTensorNdDescriptor(x, CUDNN_DATA_FLOAT, 4, xSizes, xStrides),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnSetTensorNdDescriptor(y, CUDNN_DATA_FLOAT, 4, ySizes, yStrides),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnSetFilterNdDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, 4, wSizes),
              CUDNN_STATUS_SUCCESS);
    const int pads[] = {1, 0}, strides[] = {2, 1}, dilations[] = {1, 2};
    ASSERT_EQ(cudnnSetConvolutionNdDescriptor(geometry, 2, pads, strides, dilations,
                                              CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnSetConvolutionGroupCount(geometry, groups), CUDNN_STATUS_SUCCESS);
    workspace = allocate(256);
  }
  void TearDown() override {
    cudnnDestroyTensorDescriptor(x);
    cudnnDestroyTensorDescriptor(y);
    cudnnDestroyFilterDescriptor(filter);
    cudnnDestroyConvolutionDescriptor(geometry);
    cudnnDestroy(handle);
    DeviceTest::TearDown();
  }

  static std::vector<float> numbers(size_t count, int seed) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(static_cast<int>((i * 31 + seed * 17) % 11) - 5);
    return values;
  }
  /// Calls `f` with the places of an input, a weight and an output that meet.
  template <typename F> static void forProducts(F f) {
    for (int image = 0; image < n; ++image)
      for (int out = 0; out < k; ++out)
        for (int in = 0; in < c / groups; ++in)
          for (int i = 0; i < p; ++i)
            for (int j = 0; j < q; ++j)
              for (int a = 0; a < r; ++a)
                for (int b = 0; b < s; ++b) {
                  const int row = 2 * i - 1 + a, column = j + 2 * b;
                  const int channel = out / (k / groups) * (c / groups) + in;
                  if (row >= 0 && row < h && column >= 0 && column < w)
                    f(((image * h + row) * w + column) * c + channel,
                      ((out * r + a) * s + b) * (c / groups) + in,
                      ((image * k + out) * p + i) * q + j);
                }
  }

  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t geometry = nullptr;
  float *workspace = nullptr;
  const float one = 1, zero = 0, two = 2;
};

constexpr auto forwardAlgorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;

TEST_F(Convolutions, forwardAndBothGradients) {
  auto xs = numbers(n * c * h * w, 1), ws = numbers(k * c / groups * r * s, 2),
       ys = numbers(n * k * p * q, 3);
  float *xData = upload(xs), *wData = upload(ws), *yData = upload(ys);
  float *dx = upload(xs), *dw = upload(ws), *out = allocate(ys.size());
  ASSERT_EQ(cudnnConvolutionForward(handle, &two, x, xData, filter, wData, geometry,
                                    forwardAlgorithm, workspace, 1024, &zero, y, out),
            CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnConvolutionBackwardData(handle, &one, filter, wData, y, yData, geometry,
                                         CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workspace, 1024, &one,
                                         x, dx),
            CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnConvolutionBackwardFilter(handle, &one, x, xData, y, yData, geometry,
                                           CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, workspace, 1024,
                                           &zero, filter, dw),
            CUDNN_STATUS_SUCCESS);
  std::vector<float> yExpected(ys.size()), xExpected = xs, wExpected(ws.size());
  forProducts([&](int xAt, int wAt, int yAt) {
    yExpected[yAt] += 2 * xs[xAt] * ws[wAt];
    xExpected[xAt] += ys[yAt] * ws[wAt];
    wExpected[wAt] += xs[xAt] * ys[yAt];
  });
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_EQ(download(out, ys.size()), yExpected);
  EXPECT_EQ(download(dx, xs.size()), xExpected);
  EXPECT_EQ(download(dw, ws.size()), wExpected);
}

TEST_F(Convolutions, aSharedWorkspaceIsARace) {
  float *xData = upload(numbers(n * c * h * w, 1)),
        *wData = upload(numbers(k * c / groups * r * s, 2));
  for (cudaStream_t stream : {first, second}) {
    cudnnSetStream(handle, stream);
    cudnnConvolutionForward(handle, &one, x, xData, filter, wData, geometry, forwardAlgorithm,
                            workspace, 1024, &zero, y, allocate(n * k * p * q));
  }
  EXPECT_THAT(failure(), HasSubstr("(convolution) writes 1024 bytes"));
}

TEST_F(Convolutions, sumsInAnyOrderDifferFromRunToRun) {
  cudnnConvolutionBwdFilterAlgoPerf_t ways[2];
  int found = 0;
  ASSERT_EQ(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x, y, geometry, filter, 2, &found,
                                                          ways),
            CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(found, 2);
  EXPECT_EQ(ways[0].determinism, CUDNN_NON_DETERMINISTIC);
  EXPECT_EQ(ways[1].determinism, CUDNN_DETERMINISTIC);
  float *xData = upload(numbers(n * c * h * w, 1)), *yData = upload(numbers(n * k * p * q, 3));
  constexpr size_t count = k * c / groups * r * s;
  auto run = [&](cudnnConvolutionBwdFilterAlgo_t algorithm) {
    float *dw = allocate(count);
    EXPECT_EQ(cudnnConvolutionBackwardFilter(handle, &one, x, xData, y, yData, geometry, algorithm,
                                             workspace, 1024, &zero, filter, dw),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    return download(dw, count);
  };
  EXPECT_NE(run(ways[0].algo), run(ways[0].algo));
  EXPECT_EQ(run(ways[1].algo), run(ways[1].algo));
}

TEST_F(Convolutions, f32IsRoundedUnlessThatIsForbidden) {
  std::vector<float> xs = numbers(n * c * h * w, 1);
  for (float &value : xs)
    value *= 1 + 0x1p-20f;
  float *xData = upload(xs), *wData = upload(numbers(k * c / groups * r * s, 2));
  auto run = [&](cudnnMathType_t math) {
    float *out = allocate(n * k * p * q);
    cudnnSetConvolutionMathType(geometry, math);
    EXPECT_EQ(cudnnConvolutionForward(handle, &one, x, xData, filter, wData, geometry,
                                      forwardAlgorithm, workspace, 1024, &zero, y, out),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    return download(out, n * k * p * q);
  };
  EXPECT_NE(run(CUDNN_DEFAULT_MATH), run(CUDNN_FMA_MATH));
}

TEST_F(Convolutions, wrongShapesAreRefused) {
  cudnnConvolutionFwdAlgoPerf_t result;
  int found = 0;
  ASSERT_EQ(
      cudnnGetConvolutionForwardAlgorithm_v7(handle, x, filter, geometry, y, 1, &found, &result),
      CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(result.memory, 1024u);
  EXPECT_EQ(
      cudnnGetConvolutionForwardAlgorithm_v7(handle, y, filter, geometry, x, 1, &found, &result),
      CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  cudnnSetConvolutionGroupCount(geometry, 1);
  size_t bytes = 0;
  EXPECT_EQ(cudnnGetConvolutionForwardWorkspaceSize(handle, x, filter, geometry, y,
                                                    forwardAlgorithm, &bytes),
            CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
}

} // namespace
} // namespace sheaf::standin
