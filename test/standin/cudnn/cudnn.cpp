// libcudnn: choosing algorithms, and convolutions.
#include <memory>

#include "test/standin/cudart/state.h"
#include "test/standin/cudnn/convolution.h"
#include "test/standin/cudnn/handle.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudnn;

/// What the one algorithm asks for.
constexpr size_t wantedWorkspaceBytes = 1024;

static Convolution describe(const Tensor *x, const Tensor *w, const Tensor *y,
                            cudnnConvolutionDescriptor_t geometry, Wanted wanted) {
  Convolution convolution;
  convolution.geometry = *toGeometry(geometry);
  convolution.x = *x;
  convolution.w = *w;
  convolution.y = *y;
  convolution.wanted = wanted;
  return convolution;
}

/// The one algorithm there is, if it can do the convolution.
template <typename Performance, typename Algorithm>
static cudnnStatus_t recommend(const Convolution &convolution, Algorithm algorithm, int wanted,
                               int *found, Performance *results) {
  *found = 0;
  if (wanted < 1)
    return CUDNN_STATUS_BAD_PARAM;
  const cudnnStatus_t status = convolution.check();
  if (status != CUDNN_STATUS_SUCCESS)
    return status;
  *results = {};
  results->algo = algorithm;
  results->status = CUDNN_STATUS_SUCCESS;
  results->memory = wantedWorkspaceBytes;
  results->determinism = CUDNN_DETERMINISTIC;
  results->mathType = CUDNN_DEFAULT_MATH;
  *found = 1;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t workspaceOf(const Convolution &convolution, size_t *bytes) {
  *bytes = wantedWorkspaceBytes;
  return convolution.check();
}

static cudnnStatus_t enqueue(cudnnHandle_t handle, Convolution convolution, const char *name,
                             const void *alpha, const void *beta, void *workspace,
                             size_t workspaceBytes) {
  if (cudnnStatus_t status = convolution.check(); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (!workspace || workspaceBytes < wantedWorkspaceBytes)
    return CUDNN_STATUS_BAD_PARAM;
  const bool isDouble = convolution.geometry.computeType == FloatType::f64;
  auto scale = [&](const void *at) -> double {
    return isDouble ? *static_cast<const double *>(at) : *static_cast<const float *>(at);
  };
  convolution.alpha = scale(alpha);
  convolution.beta = scale(beta);
  convolution.workspace = workspace;
  convolution.workspaceBytes = wantedWorkspaceBytes;
  Stream *stream = cudart::toStream(toHandle(handle)->stream);
  if (!stream)
    return CUDNN_STATUS_BAD_PARAM;
  auto shared = std::make_shared<const Convolution>(std::move(convolution));
  const cudaError_t error = cudart::call([&] {
    return cudart::submit(
        *stream, Operation(name, [shared](Execution &execution) { shared->run(execution); }));
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t geometry,
                                                     const cudnnTensorDescriptor_t y,
                                                     const int wanted, int *found,
                                                     cudnnConvolutionFwdAlgoPerf_t *results) {
  return recommend(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Output),
                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, wanted, found, results);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t,
                                                      const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t geometry,
                                                      const cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t, size_t *bytes) {
  return workspaceOf(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Output),
                     bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      const cudnnTensorDescriptor_t xTensor, const void *x,
                                      const cudnnFilterDescriptor_t wTensor, const void *w,
                                      const cudnnConvolutionDescriptor_t geometry,
                                      cudnnConvolutionFwdAlgo_t, void *workspace, size_t bytes,
                                      const void *beta, const cudnnTensorDescriptor_t yTensor,
                                      void *y) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Output);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), "convolution", alpha, beta, workspace, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnTensorDescriptor_t x, const int wanted,
    int *found, cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return recommend(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Input),
                   CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, wanted, found, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnTensorDescriptor_t x,
    cudnnConvolutionBwdDataAlgo_t, size_t *bytes) {
  return workspaceOf(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Input),
                     bytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           const cudnnFilterDescriptor_t wTensor, const void *w,
                                           const cudnnTensorDescriptor_t yTensor, const void *y,
                                           const cudnnConvolutionDescriptor_t geometry,
                                           cudnnConvolutionBwdDataAlgo_t, void *workspace,
                                           size_t bytes, const void *beta,
                                           const cudnnTensorDescriptor_t xTensor, void *x) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Input);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), "convolution input gradient", alpha, beta,
                 workspace, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnFilterDescriptor_t w, const int wanted,
    int *found, cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return recommend(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Filter),
                   CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, wanted, found, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnFilterDescriptor_t w,
    cudnnConvolutionBwdFilterAlgo_t, size_t *bytes) {
  return workspaceOf(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Filter),
                     bytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const cudnnTensorDescriptor_t xTensor, const void *x,
                                             const cudnnTensorDescriptor_t yTensor, const void *y,
                                             const cudnnConvolutionDescriptor_t geometry,
                                             cudnnConvolutionBwdFilterAlgo_t, void *workspace,
                                             size_t bytes, const void *beta,
                                             const cudnnFilterDescriptor_t wTensor, void *w) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Filter);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), "convolution filter gradient", alpha, beta,
                 workspace, bytes);
}
