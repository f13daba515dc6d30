// Writes to and closes descriptors.
#include "runtime/core/file_descriptor.h"

#include <cerrno>
#include <unistd.h>

namespace sheaf::rt {

FileDescriptor::~FileDescriptor() {
  if (file >= 0)
    ::close(file);
}

bool FileDescriptor::writeAll(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

} // namespace sheaf::rt
