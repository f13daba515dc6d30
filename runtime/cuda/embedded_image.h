// The device code of runtime/cuda/kernels, which this library carries.
#ifndef SHEAF_RUNTIME_CUDA_EMBEDDED_IMAGE_H
#define SHEAF_RUNTIME_CUDA_EMBEDDED_IMAGE_H

#include <cstddef>
#include <span>
#include <string_view>

namespace sheaf::rt::cuda {

/// The PTX of one file of kernels/. Objects of this type are static, in sources that the build writes.
class EmbeddedImage {
public:
  /// `name` is that of the file, without its ending.
  EmbeddedImage(const char *name, const char *ptx, size_t bytes);
  EmbeddedImage(const EmbeddedImage &) = delete;

  /// The PTX of the file `name`, which must exist.
  static std::span<const std::byte> find(std::string_view name);

private:
  static const EmbeddedImage *&first();

  const char *name;
  std::span<const std::byte> content;
  const EmbeddedImage *next;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_EMBEDDED_IMAGE_H
