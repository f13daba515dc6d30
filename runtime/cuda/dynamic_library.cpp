// Loads libraries by the names under which the loader knows them.
#include "runtime/cuda/dynamic_library.h"

#include <dlfcn.h>

namespace sheaf::rt::cuda {

Result<DynamicLibrary> DynamicLibrary::load(std::initializer_list<const char *> names) {
  std::string tried;
  for (const char *name : names) {
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return DynamicLibrary(handle, name);
    tried = ::dlerror(); // Names the library.
  }
  return Status::invalid("a library can't be loaded: ", tried);
}

Result<void *> DynamicLibrary::findAddress(const char *function) const {
  if (void *address = ::dlsym(handle, function))
    return address;
  return Status::invalid("the library ", name, " has no function ", function,
                         "; another version is needed");
}

} // namespace sheaf::rt::cuda
