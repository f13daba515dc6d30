// Loads generated kernels through an anonymous file.
#include "runtime/host/kernel_library.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <utility>

namespace sheaf::rt::host {

Result<KernelLibrary> KernelLibrary::load(std::span<const std::byte> image) {
  FileDescriptor file(::memfd_create("sheaf-kernels", MFD_CLOEXEC));
  if (!file.isOpen())
    return Status::invalid("can't make an anonymous file: ", std::strerror(errno));
  if (!file.writeAll(image))
    return Status::invalid("can't write an anonymous file: ", std::strerror(errno));
  std::string path = "/proc/self/fd/" + std::to_string(file.get());
  KernelLibrary library(nullptr, std::move(file));
  library.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return Status::invalid("the shared object can't be loaded: ", ::dlerror());
  return library;
}

KernelLibrary::KernelLibrary(KernelLibrary &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), file(std::move(other.file)) {}

KernelLibrary &KernelLibrary::operator=(KernelLibrary &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(file, other.file);
  return *this;
}

KernelLibrary::~KernelLibrary() {
  if (handle)
    ::dlclose(handle);
}

Result<Kernel> KernelLibrary::find(const std::string &name) const {
  void *symbol = ::dlsym(handle, name.c_str());
  if (!symbol)
    return Status::invalid("the executable's shared object does not export it");
  return reinterpret_cast<Kernel>(symbol);
}

} // namespace sheaf::rt::host
