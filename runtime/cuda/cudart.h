// The CUDA runtime library, loaded at run time.
#ifndef SHEAF_RUNTIME_CUDA_CUDART_H
#define SHEAF_RUNTIME_CUDA_CUDART_H

#include "runtime/core/status.h"

#include <cuda_runtime_api.h>

namespace sheaf::rt::cuda {

/// The functions that are used, each once: as members of the table, and to fill it.
#define SHEAF_CUDART_FUNCTIONS(function)                                                           \
  function(cudaDeviceGetAttribute);                                                                \
  function(cudaDriverGetVersion);                                                                  \
  function(cudaEventCreateWithFlags);                                                              \
  function(cudaEventDestroy);                                                                      \
  function(cudaEventElapsedTime);                                                                  \
  function(cudaEventQuery);                                                                        \
  function(cudaEventRecord);                                                                       \
  function(cudaEventSynchronize);                                                                  \
  function(cudaFree);                                                                              \
  function(cudaFreeHost);                                                                          \
  function(cudaFuncGetParamInfo);                                                                  \
  function(cudaFuncSetAttribute);                                                                  \
  function(cudaGetDeviceCount);                                                                    \
  function(cudaGetErrorName);                                                                      \
  function(cudaGetErrorString);                                                                    \
  function(cudaGetLastError);                                                                      \
  function(cudaGraphDestroy);                                                                      \
  function(cudaGraphExecDestroy);                                                                  \
  function(cudaGraphInstantiate);                                                                  \
  function(cudaGraphLaunch);                                                                       \
  function(cudaLaunchKernel);                                                                      \
  function(cudaLibraryGetKernel);                                                                  \
  function(cudaLibraryLoadData);                                                                   \
  function(cudaLibraryUnload);                                                                     \
  function(cudaMalloc);                                                                            \
  function(cudaMallocHost);                                                                        \
  function(cudaMemcpyAsync);                                                                       \
  function(cudaMemsetAsync);                                                                       \
  function(cudaRuntimeGetVersion);                                                                 \
  function(cudaSetDevice);                                                                         \
  function(cudaStreamBeginCapture);                                                                \
  function(cudaStreamCreateWithFlags);                                                             \
  function(cudaStreamDestroy);                                                                     \
  function(cudaStreamEndCapture);                                                                  \
  function(cudaStreamQuery);                                                                       \
  function(cudaStreamSynchronize);                                                                 \
  function(cudaStreamWaitEvent)

/// The functions of libcudart, as its header declares them.
struct Cudart {
#define SHEAF_DECLARE(name) decltype(::name) *name = nullptr
  SHEAF_CUDART_FUNCTIONS(SHEAF_DECLARE);
#undef SHEAF_DECLARE
};

/// Loads the library, once. Errors: it is missing, or of a version without some function.
Status loadCudart();

/// The loaded library: only after `loadCudart` was successful.
const Cudart &cudart();

/// Success, or "cudaMalloc: out of memory (cudaErrorMemoryAllocation)".
Status statusOf(cudaError_t error, const char *function);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUDART_H
