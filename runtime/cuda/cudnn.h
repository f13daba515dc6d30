// cuDNN, loaded at run time.
#ifndef SHEAF_RUNTIME_CUDA_CUDNN_H
#define SHEAF_RUNTIME_CUDA_CUDNN_H

#include "runtime/core/status.h"

#include <cudnn.h>
#include <utility>

namespace sheaf::rt::cuda {

/// The functions that are used, each once: as members of the table, and to fill it.
#define SHEAF_CUDNN_FUNCTIONS(function)                                                            \
  function(cudnnBackendCreateDescriptor);                                                          \
  function(cudnnBackendDestroyDescriptor);                                                         \
  function(cudnnBackendExecute);                                                                   \
  function(cudnnBackendFinalize);                                                                  \
  function(cudnnBackendGetAttribute);                                                              \
  function(cudnnBackendSetAttribute);                                                              \
  function(cudnnConvolutionBackwardData);                                                          \
  function(cudnnConvolutionBackwardFilter);                                                        \
  function(cudnnConvolutionForward);                                                               \
  function(cudnnCreate);                                                                           \
  function(cudnnCreateConvolutionDescriptor);                                                      \
  function(cudnnCreateFilterDescriptor);                                                           \
  function(cudnnCreateTensorDescriptor);                                                           \
  function(cudnnDestroy);                                                                          \
  function(cudnnDestroyConvolutionDescriptor);                                                     \
  function(cudnnDestroyFilterDescriptor);                                                          \
  function(cudnnDestroyTensorDescriptor);                                                          \
  function(cudnnGetConvolutionBackwardDataAlgorithm_v7);                                           \
  function(cudnnGetConvolutionBackwardDataWorkspaceSize);                                          \
  function(cudnnGetConvolutionBackwardFilterAlgorithm_v7);                                         \
  function(cudnnGetConvolutionBackwardFilterWorkspaceSize);                                        \
  function(cudnnGetConvolutionForwardAlgorithm_v7);                                                \
  function(cudnnGetConvolutionForwardWorkspaceSize);                                               \
  function(cudnnGetErrorString);                                                                   \
  function(cudnnGetVersion);                                                                       \
  function(cudnnSetConvolutionGroupCount);                                                         \
  function(cudnnSetConvolutionMathType);                                                           \
  function(cudnnSetConvolutionNdDescriptor);                                                       \
  function(cudnnSetFilterNdDescriptor);                                                            \
  function(cudnnSetStream);                                                                        \
  function(cudnnSetTensorNdDescriptor)

/// The functions of libcudnn, as its header declares them.
struct Cudnn {
#define SHEAF_DECLARE(name) decltype(::name) *name = nullptr
  SHEAF_CUDNN_FUNCTIONS(SHEAF_DECLARE);
#undef SHEAF_DECLARE
};

/// Loads the library, once. Errors: it is missing, or of a version without some function.
Status loadCudnn();

/// The loaded library: only after `loadCudnn` was successful.
const Cudnn &cudnn();

/// Success, or what failed.
Status statusOf(cudnnStatus_t error, const char *function);

/// What the library needs to work in one stream: setting another would make the two wait for each other.
class CudnnHandle {
public:
  /// Loads the library. Errors: as `loadCudnn`, or it can't work on this device.
  static Result<CudnnHandle> open(cudaStream_t queue);

  CudnnHandle(CudnnHandle &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  CudnnHandle &operator=(CudnnHandle &&) = delete;
  ~CudnnHandle();

  cudnnHandle_t get() const { return handle; }

private:
  CudnnHandle() = default;

  cudnnHandle_t handle = nullptr;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUDNN_H
