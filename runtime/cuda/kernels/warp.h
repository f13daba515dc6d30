// What neighbouring threads of a warp tell each other.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_WARP_H
#define SHEAF_RUNTIME_CUDA_KERNELS_WARP_H

#include "runtime/cuda/kernels/device.h"

namespace sheaf::rt::cuda {

DEVICE float fromLane(float value, int distance) {
  return __nvvm_shfl_sync_bfly_f32(~0u, value, distance, 31);
}
DEVICE double fromLane(double value, int distance) {
  auto bits = __builtin_bit_cast(uint64_t, value);
  auto low =
      static_cast<uint32_t>(__nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(bits), distance, 31));
  auto high = static_cast<uint32_t>(
      __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(bits >> 32), distance, 31));
  return __builtin_bit_cast(double, static_cast<uint64_t>(high) << 32 | low);
}

/// The sum, and the largest, of what `count` neighbours have, a power of 2 of them.
template <int count, typename C> DEVICE C sumOfLanes(C value) {
  for (int distance = count / 2; distance > 0; distance /= 2)
    value += fromLane(value, distance);
  return value;
}
template <int count, typename C> DEVICE C largestOfLanes(C value) {
  for (int distance = count / 2; distance > 0; distance /= 2) {
    C other = fromLane(value, distance);
    value = other > value ? other : value;
  }
  return value;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_WARP_H
