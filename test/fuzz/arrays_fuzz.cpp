// Feeds bytes to the readers of .npy, .npz and safetensors files: whatever they are, their arrays lie in what was read,
// or there is an error.
#include "runtime/core/buffer_shape.h"
#include "runtime/io/stored_array.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/// A file in memory that has names on disk, since the name says what kind of file it is.
class MemoryFile {
public:
  MemoryFile() : file(::memfd_create("arrays", 0)) {
    std::string path = (std::filesystem::temp_directory_path() / "arrays_fuzz.XXXXXX").string();
    if (file < 0 || !::mkdtemp(path.data()))
      std::abort();
    folder = path;
    auto content = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file);
    for (const char *name : {"a.npy", "a.npz", "a.safetensors"})
      std::filesystem::create_symlink(content, folder / name);
  }
  ~MemoryFile() { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const uint8_t *data, size_t size) const {
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
      std::abort();
    std::string_view text(reinterpret_cast<const char *>(data), size);
    return folder / (text.starts_with("PK")          ? "a.npz"
                     : text.starts_with("\x93NUMPY") ? "a.npy"
                                                     : "a.safetensors");
  }

private:
  int file;
  std::filesystem::path folder;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const MemoryFile file;
  auto arrays = sheaf::rt::io::openArrays(file.write(data, size), std::nullopt);
  if (!arrays.isOk())
    return 0;
  unsigned sum = 0; // Keeps the reads.
  for (const sheaf::rt::io::StoredArray &array : *arrays) {
    sheaf::rt::BufferShape shape{array.type, array.dims, {}};
    if (array.bytes.size() != static_cast<size_t>(shape.elements()) * shape.elementBytes())
      std::abort();
    for (std::byte byte : array.bytes)
      sum += static_cast<unsigned>(byte);
  }
  return sum == ~0U ? -1 : 0;
}
