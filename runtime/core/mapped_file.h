// A file mapped for reading.
#ifndef SHEAF_RUNTIME_CORE_MAPPED_FILE_H
#define SHEAF_RUNTIME_CORE_MAPPED_FILE_H

#include "runtime/core/status.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace sheaf::rt {

/// The bytes of a regular file, mapped read-only until this is destroyed.
///
/// Whoever shortens the file while it is mapped ends the process (SIGBUS), as with any mapped file.
class MappedFile {
public:
  static Result<MappedFile> open(const std::filesystem::path &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return content; }

private:
  explicit MappedFile(std::span<const std::byte> bytes) : content(bytes) {}

  std::span<const std::byte> content;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_MAPPED_FILE_H
