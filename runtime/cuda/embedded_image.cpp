// Finds device code by the name of its file.
#include "runtime/cuda/embedded_image.h"

#include <cassert>

namespace sheaf::rt::cuda {

const EmbeddedImage *&EmbeddedImage::first() {
  static const EmbeddedImage *head = nullptr;
  return head;
}

EmbeddedImage::EmbeddedImage(const char *name, const char *ptx, size_t bytes)
    : name(name), content(reinterpret_cast<const std::byte *>(ptx), bytes), next(first()) {
  first() = this;
}

std::span<const std::byte> EmbeddedImage::find(std::string_view name) {
  const EmbeddedImage *image = first();
  while (image && name != image->name)
    image = image->next;
  assert(image && "no file of kernels/ has this name");
  return image->content;
}

} // namespace sheaf::rt::cuda
