// Integers whose type is known when a kernel runs.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_INTEGER_H
#define SHEAF_RUNTIME_CUDA_KERNELS_INTEGER_H

#include "runtime/cuda/kernels/device.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Element `at` of `data`, extended to 64 bits as its sign asks. All threads take the same branch.
DEVICE uint64_t readInteger(IntegerType type, const char *data, int64_t at) {
  uint64_t value;
  switch (type.bytes) {
  case 1:
    value = reinterpret_cast<const uint8_t *>(data)[at];
    return type.isSigned ? static_cast<uint64_t>(static_cast<int8_t>(value)) : value;
  case 2:
    value = reinterpret_cast<const uint16_t *>(data)[at];
    return type.isSigned ? static_cast<uint64_t>(static_cast<int16_t>(value)) : value;
  case 4:
    value = reinterpret_cast<const uint32_t *>(data)[at];
    return type.isSigned ? static_cast<uint64_t>(static_cast<int32_t>(value)) : value;
  default:
    return reinterpret_cast<const uint64_t *>(data)[at];
  }
}

/// Stores the low bits.
DEVICE void writeInteger(IntegerType type, char *data, int64_t at, uint64_t value) {
  switch (type.bytes) {
  case 1:
    reinterpret_cast<uint8_t *>(data)[at] = static_cast<uint8_t>(value);
    break;
  case 2:
    reinterpret_cast<uint16_t *>(data)[at] = static_cast<uint16_t>(value);
    break;
  case 4:
    reinterpret_cast<uint32_t *>(data)[at] = static_cast<uint32_t>(value);
    break;
  default:
    reinterpret_cast<uint64_t *>(data)[at] = value;
  }
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_INTEGER_H
