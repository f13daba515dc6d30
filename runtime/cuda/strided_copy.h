// Copies strided buffers; what `copy` does, for other calls too.
#ifndef SHEAF_RUNTIME_CUDA_STRIDED_COPY_H
#define SHEAF_RUNTIME_CUDA_STRIDED_COPY_H

#include "runtime/cuda/registry.h"

#include <functional>

namespace sheaf::rt::cuda {

/// Puts a copy from one buffer to another into a stream.
using StridedCopy = std::function<Status(const void *in, void *out)>;

/// Copies between strided buffers of equal dims and element size, by one transfer where both are dense and alike.
Result<StridedCopy> makeStridedCopy(CudaCallSite &site, const BufferShape &in,
                                    const BufferShape &out);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_STRIDED_COPY_H
