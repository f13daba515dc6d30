// Loads images of device code.
#include "runtime/cuda/module.h"

#include <utility>

namespace sheaf::rt::cuda {

Result<Module> Module::load(std::span<const std::byte> image) {
  // PTX is text that a zero ends.
  std::string code(reinterpret_cast<const char *>(image.data()), image.size());
  cudaLibrary_t library = nullptr;
  cudaError_t error = cudart().cudaLibraryLoadData(&library, code.c_str(), nullptr, nullptr, 0,
                                                   nullptr, nullptr, 0);
  if (Status status = statusOf(error, "cudaLibraryLoadData"); !status.isOk())
    return status;
  return Module(library);
}

Module::Module(Module &&other) noexcept : library(std::exchange(other.library, nullptr)) {}

Module &Module::operator=(Module &&other) noexcept {
  std::swap(library, other.library);
  return *this;
}

Module::~Module() {
  if (library)
    cudart().cudaLibraryUnload(library);
}

Result<cudaKernel_t> Module::find(const std::string &name) const {
  cudaKernel_t kernel = nullptr;
  cudaError_t error = cudart().cudaLibraryGetKernel(&kernel, library, name.c_str());
  if (error != cudaSuccess) {
    cudart().cudaGetLastError(); // Else a later call would report it.
    return statusOf(error, "cudaLibraryGetKernel").annotated("device code has no kernel ", name);
  }
  return kernel;
}

} // namespace sheaf::rt::cuda
