// Files that are on the disk once their writer says so.
#ifndef SHEAF_RUNTIME_IO_DURABLE_FILE_H
#define SHEAF_RUNTIME_IO_DURABLE_FILE_H

#include "runtime/core/file_descriptor.h"
#include "runtime/core/status.h"

#include <filesystem>

namespace sheaf::rt::io {

/// A new file. Unlike io::PendingFile it stays when it is left half written, and several threads may make some at once:
/// for folders that are not yet in their place.
class DurableFile {
public:
  /// Errors: there is one, a link included.
  static Result<DurableFile> create(const std::filesystem::path &path);

  Status write(std::span<const std::byte> bytes);
  /// Flushes it to the disk. The folder that it is in is another matter: see syncFolder.
  Status finish();

private:
  DurableFile(const std::filesystem::path &path, FileDescriptor file)
      : path(path), file(std::move(file)) {}

  std::filesystem::path path;
  FileDescriptor file;
};

/// Writes a new file of `bytes`.
Status writeDurably(const std::filesystem::path &path, std::span<const std::byte> bytes);

/// Flushes to the disk which files the folder has.
Status syncFolder(const std::filesystem::path &path);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_DURABLE_FILE_H
