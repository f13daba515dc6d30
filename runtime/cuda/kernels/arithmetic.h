// The arithmetic element types: integers of 8 bits or more and floats of 16 bits or more.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ARITHMETIC_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ARITHMETIC_H

#include "runtime/cuda/kernels/device.h"

#include <type_traits>

/// Calls `kernel(name, type)` for each: the name is that of abi::nameOf, in which names of kernels end.
#define SHEAF_FOR_FLOATS(kernel)                                                                   \
  kernel(f16, _Float16) kernel(bf16, __bf16) kernel(f32, float) kernel(f64, double)
#define SHEAF_FOR_INTEGERS(kernel)                                                                 \
  kernel(i8, int8_t) kernel(ui8, uint8_t) kernel(i16, int16_t) kernel(ui16, uint16_t)              \
      kernel(i32, int32_t) kernel(ui32, uint32_t) kernel(i64, int64_t) kernel(ui64, uint64_t)
#define SHEAF_FOR_ARITHMETIC(kernel) SHEAF_FOR_INTEGERS(kernel) SHEAF_FOR_FLOATS(kernel)

namespace sheaf::rt::cuda {

/// What sums of `T` are kept in: f32 for 16-bit floats, else `T`.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, _Float16> || std::is_same_v<T, __bf16>, float, T>;

template <typename T> DEVICE bool isNan(T value) {
  return static_cast<Wide<T>>(value) != static_cast<Wide<T>>(value);
}

/// Integer sums and products wrap; in C++ only those of unsigned types do.
template <typename T> DEVICE T wrappingAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <typename T> DEVICE T wrappingMultiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ARITHMETIC_H
