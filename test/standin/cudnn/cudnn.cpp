// libcudnn: choosing algorithms, and convolutions.
#include <memory>

#include "test/standin/cudart/state.h"
#include "test/standin/cudnn/convolution.h"
#include "test/standin/cudnn/handle.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudnn;

/// What a deterministic algorithm asks for.
constexpr size_t wantedWorkspaceBytes = 1024;

static bool isDeterministic(cudnnConvolutionFwdAlgo_t) { return true; }
static bool isDeterministic(cudnnConvolutionBwdDataAlgo_t algorithm) {
  return algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
}
static bool isDeterministic(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  return algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
         algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
}
template <typename Algorithm> static size_t workspaceOf(Algorithm algorithm) {
  return isDeterministic(algorithm) ? wantedWorkspaceBytes : 0;
}

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

/// Lists the algorithms, if they can do the convolution, the fastest first.
template <typename Performance, typename Algorithm>
static cudnnStatus_t recommend(const Convolution &convolution,
                               std::initializer_list<Algorithm> algorithms, int wanted, int *found,
                               Performance *results) {
  *found = 0;
  if (wanted < 1)
    return CUDNN_STATUS_BAD_PARAM;
  const cudnnStatus_t status = convolution.check();
  if (status != CUDNN_STATUS_SUCCESS)
    return status;
  for (Algorithm algorithm : algorithms) {
    if (*found == wanted)
      break;
    Performance &result = results[(*found)++];
    result = {};
    result.algo = algorithm;
    result.status = CUDNN_STATUS_SUCCESS;
    result.memory = workspaceOf(algorithm);
    result.determinism = isDeterministic(algorithm) ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    result.mathType = convolution.geometry.mathType;
  }
  return CUDNN_STATUS_SUCCESS;
}

template <typename Algorithm>
static cudnnStatus_t measure(const Convolution &convolution, Algorithm algorithm, size_t *bytes) {
  *bytes = workspaceOf(algorithm);
  return convolution.check();
}

template <typename Algorithm>
static cudnnStatus_t enqueue(cudnnHandle_t handle, Convolution convolution, Algorithm algorithm,
                             const char *name, const void *alpha, const void *beta, void *workspace,
                             size_t workspaceBytes) {
  if (cudnnStatus_t status = convolution.check(); status != CUDNN_STATUS_SUCCESS)
    return status;
  const size_t wanted = workspaceOf(algorithm);
  if ((wanted && !workspace) || workspaceBytes < wanted)
    return CUDNN_STATUS_BAD_PARAM;
  const bool isDouble = convolution.geometry.computeType == FloatType::f64;
  auto scale = [&](const void *at) -> double {
    return isDouble ? *static_cast<const double *>(at) : *static_cast<const float *>(at);
  };
  convolution.alpha = scale(alpha);
  convolution.beta = scale(beta);
  convolution.workspace = workspace;
  convolution.workspaceBytes = wanted;
  convolution.isDeterministic = isDeterministic(algorithm);
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
                   {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM}, wanted, found, results);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t geometry, const cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, size_t *bytes) {
  return measure(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Output),
                 algorithm, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      const cudnnTensorDescriptor_t xTensor, const void *x,
                                      const cudnnFilterDescriptor_t wTensor, const void *w,
                                      const cudnnConvolutionDescriptor_t geometry,
                                      cudnnConvolutionFwdAlgo_t algorithm, void *workspace,
                                      size_t bytes, const void *beta,
                                      const cudnnTensorDescriptor_t yTensor, void *y) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Output);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), algorithm, "convolution", alpha, beta, workspace,
                 bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnTensorDescriptor_t x, const int wanted,
    int *found, cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return recommend(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Input),
                   {CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1}, wanted,
                   found, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnTensorDescriptor_t x,
    cudnnConvolutionBwdDataAlgo_t algorithm, size_t *bytes) {
  return measure(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Input),
                 algorithm, bytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           const cudnnFilterDescriptor_t wTensor, const void *w,
                                           const cudnnTensorDescriptor_t yTensor, const void *y,
                                           const cudnnConvolutionDescriptor_t geometry,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void *workspace,
                                           size_t bytes, const void *beta,
                                           const cudnnTensorDescriptor_t xTensor, void *x) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Input);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), algorithm, "convolution input gradient", alpha,
                 beta, workspace, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnFilterDescriptor_t w, const int wanted,
    int *found, cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return recommend(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Filter),
                   {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1},
                   wanted, found, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnConvolutionDescriptor_t geometry, const cudnnFilterDescriptor_t w,
    cudnnConvolutionBwdFilterAlgo_t algorithm, size_t *bytes) {
  return measure(describe(toTensor(x), toTensor(w), toTensor(y), geometry, Wanted::Filter),
                 algorithm, bytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const cudnnTensorDescriptor_t xTensor, const void *x,
                                             const cudnnTensorDescriptor_t yTensor, const void *y,
                                             const cudnnConvolutionDescriptor_t geometry,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void *workspace, size_t bytes, const void *beta,
                                             const cudnnFilterDescriptor_t wTensor, void *w) {
  Convolution convolution =
      describe(toTensor(xTensor), toTensor(wTensor), toTensor(yTensor), geometry, Wanted::Filter);
  convolution.xData = x;
  convolution.wData = w;
  convolution.yData = y;
  return enqueue(handle, std::move(convolution), algorithm, "convolution filter gradient", alpha,
                 beta, workspace, bytes);
}
