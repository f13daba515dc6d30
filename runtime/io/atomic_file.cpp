// Writes files aside and renames them.
#include "runtime/io/atomic_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sheaf::rt::io {
namespace {

/// Temporary files are private; a committed one has the permissions of any new file.
mode_t newFileMode() {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

} // namespace

PendingFile::PendingFile(const std::filesystem::path &path)
    : path(path), temporary(path.string() + ".XXXXXX"), file(-1) {}

PendingFile::PendingFile(PendingFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::exchange(other.temporary, "")),
      file(std::move(other.file)) {}

PendingFile &PendingFile::operator=(PendingFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(temporary, other.temporary);
  file = std::move(other.file);
  return *this;
}

PendingFile::~PendingFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Result<PendingFile> PendingFile::create(const std::filesystem::path &path) {
  std::error_code
      error; // A path that can't be looked at can't be written either, which is told below.
  if (auto status = std::filesystem::status(path, error);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Status::invalid("can't write ", path.string(), ": it is a folder or a device");
  PendingFile pending(path);
  pending.file = FileDescriptor(::mkostemp(pending.temporary.data(), O_CLOEXEC));
  if (pending.file.isOpen())
    return pending;
  pending.temporary.clear();
  return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
}

Result<PendingFile> PendingFile::write(const std::filesystem::path &path,
                                       std::initializer_list<std::span<const std::byte>> parts) {
  Result<PendingFile> pending = create(path);
  if (!pending.isOk())
    return pending;
  for (std::span<const std::byte> part : parts)
    if (Status status = pending->append(part); !status.isOk())
      return status;
  if (Status status = pending->flush(); !status.isOk())
    return status;
  return pending;
}

Status PendingFile::append(std::span<const std::byte> part) {
  if (file.writeAll(part))
    return {};
  return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
}

Status PendingFile::flush() {
  if (file.isOpen() && (::fsync(file.get()) != 0 || ::fchmod(file.get(), newFileMode()) != 0))
    return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
  file = FileDescriptor(-1);
  return {};
}

Status PendingFile::commit() {
  if (Status status = flush(); !status.isOk())
    return status;
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
  temporary.clear();
  return {};
}

Status writeFileAtomically(const std::filesystem::path &path,
                           std::initializer_list<std::span<const std::byte>> parts) {
  Result<PendingFile> file = PendingFile::write(path, parts);
  return file.isOk() ? file->commit() : file.takeStatus();
}

} // namespace sheaf::rt::io
