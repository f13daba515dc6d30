// The generated kernels of an executable, callable by name.
#ifndef SHEAF_RUNTIME_HOST_KERNEL_LIBRARY_H
#define SHEAF_RUNTIME_HOST_KERNEL_LIBRARY_H

#include "runtime/core/file_descriptor.h"
#include "runtime/core/status.h"

#include <cstdint>
#include <span>
#include <string>

namespace sheaf::rt::host {

/// Works on the units [begin, end); `buffers` are the ins, then the outs.
using Kernel = void (*)(void **buffers, int64_t begin, int64_t end);

/// A loaded shared object. Kernels must not be called after it is destroyed.
class KernelLibrary {
public:
  /// Loads an ELF shared object from memory; no file is written.
  static Result<KernelLibrary> load(std::span<const std::byte> image);

  KernelLibrary(KernelLibrary &&other) noexcept;
  KernelLibrary &operator=(KernelLibrary &&other) noexcept;
  ~KernelLibrary();

  /// Errors: it exports no such name.
  Result<Kernel> find(const std::string &name) const;

private:
  KernelLibrary(void *handle, FileDescriptor file) : handle(handle), file(std::move(file)) {}

  void *handle;
  FileDescriptor
      file; ///< stays open: the loader knows libraries by path, and the path holds this number
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_KERNEL_LIBRARY_H
