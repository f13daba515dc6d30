// Maps files for reading.
#include "runtime/core/mapped_file.h"

#include "runtime/core/file_descriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace sheaf::rt {

Result<MappedFile> MappedFile::open(const std::filesystem::path &path) {
  // O_NONBLOCK: opening a pipe must fail below, not wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen())
    return Status::invalid("can't open ", path, ": ", std::strerror(errno));
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return Status::invalid("can't examine ", path, ": ", std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return Status::invalid(path, " is not a regular file");
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return MappedFile({});
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return Status::invalid("can't map ", path, ": ", std::strerror(errno));
  return MappedFile({static_cast<const std::byte *>(data), size});
}

MappedFile::MappedFile(MappedFile &&other) noexcept : content(std::exchange(other.content, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(content, other.content);
  return *this;
}

MappedFile::~MappedFile() {
  if (!content.empty())
    ::munmap(const_cast<std::byte *>(content.data()), content.size());
}

} // namespace sheaf::rt
