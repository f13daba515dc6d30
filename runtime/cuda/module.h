// Device code: loaded images and the kernels in them.
#ifndef SHEAF_RUNTIME_CUDA_MODULE_H
#define SHEAF_RUNTIME_CUDA_MODULE_H

#include "runtime/cuda/cudart.h"

#include <span>
#include <string>

namespace sheaf::rt::cuda {

/// A loaded image. Its kernels must not be launched after it is destroyed.
class Module {
public:
  /// Loads a cubin, or PTX, which the driver compiles.
  static Result<Module> load(std::span<const std::byte> image);

  Module(Module &&other) noexcept;
  Module &operator=(Module &&other) noexcept;
  ~Module();

  /// Errors: the image has no kernel `name`.
  Result<cudaKernel_t> find(const std::string &name) const;

private:
  explicit Module(cudaLibrary_t library) : library(library) {}

  cudaLibrary_t library;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_MODULE_H
