// Files that appear whole or not at all.
#ifndef SHEAF_RUNTIME_IO_ATOMIC_FILE_H
#define SHEAF_RUNTIME_IO_ATOMIC_FILE_H

#include "runtime/core/file_descriptor.h"
#include "runtime/core/status.h"

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::rt::io {

/// A file written beside its place, under a temporary name; gone unless it is committed.
class PendingFile {
public:
  /// An empty file. `path` stays as it is.
  static Result<PendingFile> create(const std::filesystem::path &path);
  /// The same with `parts` one after the other, flushed to the disk.
  static Result<PendingFile> write(const std::filesystem::path &path,
                                   std::initializer_list<std::span<const std::byte>> parts);

  PendingFile(PendingFile &&other) noexcept;
  PendingFile &operator=(PendingFile &&other) noexcept;
  ~PendingFile();

  Status append(std::span<const std::byte> part);

  /// Flushes the file to the disk and puts it in its place, over what is there.
  Status commit();

private:
  explicit PendingFile(const std::filesystem::path &path);

  Status flush();

  std::filesystem::path path;
  std::string temporary; ///< empty once committed or moved from
  FileDescriptor file;   ///< none once flushed
};

/// Writes `parts` to `path`, whole or not at all.
Status writeFileAtomically(const std::filesystem::path &path,
                           std::initializer_list<std::span<const std::byte>> parts);

/// The bytes of `text`.
inline std::span<const std::byte> bytesOf(std::string_view text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_ATOMIC_FILE_H
