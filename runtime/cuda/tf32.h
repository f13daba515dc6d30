// Whether products of f32 may be rounded to TF32.
#ifndef SHEAF_RUNTIME_CUDA_TF32_H
#define SHEAF_RUNTIME_CUDA_TF32_H

#include <cstdlib>
#include <string_view>

namespace sheaf::rt::cuda {

/// Whether SHEAF_TF32=1 is in the environment: libraries may then drop 13 of 23 bits of what they multiply.
inline bool allowsTf32() {
  const char *value = std::getenv("SHEAF_TF32");
  return value && std::string_view(value) == "1";
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_TF32_H
