// The table of the GPU's calls.
#ifndef SHEAF_RUNTIME_CUDA_REGISTRY_H
#define SHEAF_RUNTIME_CUDA_REGISTRY_H

#include "runtime/core/call_table.h"
#include "runtime/cuda/cuda_device.h"

namespace sheaf::rt::cuda {

/// A call that is being bound to a GPU.
struct CudaCallSite : CallSite {
  CudaDevice &device;
  cudaStream_t queue; ///< where its work goes
};

/// The calls of runtime/cuda/calls.
CallTable &calls();

/// A call of the GPU's.
template <BoundStep (*BindCall)(CudaCallSite &)> struct RegisteredCall : rt::RegisteredCall {
  explicit RegisteredCall(const CallTraits &traits)
      : rt::RegisteredCall(calls(), traits, [](CallSite &site) {
          return BindCall(static_cast<CudaCallSite &>(site)); // CudaDevice::bindCall made it.
        }) {}
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_REGISTRY_H
