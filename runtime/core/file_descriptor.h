// An open file of the system.
#ifndef SHEAF_RUNTIME_CORE_FILE_DESCRIPTOR_H
#define SHEAF_RUNTIME_CORE_FILE_DESCRIPTOR_H

#include <cstddef>
#include <span>
#include <utility>

namespace sheaf::rt {

/// Closes a descriptor when it is destroyed. Negative: none.
class FileDescriptor {
public:
  explicit FileDescriptor(int file) : file(file) {}
  FileDescriptor(FileDescriptor &&other) noexcept : file(std::exchange(other.file, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }
  ~FileDescriptor();

  bool isOpen() const { return file >= 0; }
  int get() const { return file; }

  /// Writes all of `bytes`; false, with errno set, when that fails.
  bool writeAll(std::span<const std::byte> bytes) const;

private:
  int file;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_FILE_DESCRIPTOR_H
