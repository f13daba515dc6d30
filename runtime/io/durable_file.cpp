// Writes files and flushes them.
#include "runtime/io/durable_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sheaf::rt::io {

static Status failedToWrite(const std::filesystem::path &path) {
  return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
}

Result<DurableFile> DurableFile::create(const std::filesystem::path &path) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.isOpen())
    return failedToWrite(path);
  return DurableFile(path, std::move(file));
}

Status DurableFile::write(std::span<const std::byte> bytes) {
  return file.writeAll(bytes) ? Status() : failedToWrite(path);
}

Status DurableFile::finish() { return ::fsync(file.get()) == 0 ? Status() : failedToWrite(path); }

Status writeDurably(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  Result<DurableFile> file = DurableFile::create(path);
  if (!file.isOk())
    return file.takeStatus();
  if (Status status = file->write(bytes); !status.isOk())
    return status;
  return file->finish();
}

Status syncFolder(const std::filesystem::path &path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems of networks can't flush folders, and need not.
  if (!folder.isOpen() || (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP))
    return Status::invalid("can't flush ", path.string(), ": ", std::strerror(errno));
  return {};
}

} // namespace sheaf::rt::io
