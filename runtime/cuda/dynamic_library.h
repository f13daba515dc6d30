// Libraries that are loaded when they are needed.
#ifndef SHEAF_RUNTIME_CUDA_DYNAMIC_LIBRARY_H
#define SHEAF_RUNTIME_CUDA_DYNAMIC_LIBRARY_H

#include "runtime/core/status.h"

#include <initializer_list>

namespace sheaf::rt::cuda {

/// A loaded library. It is never unloaded: blocks of memory may outlive all who know of it.
class DynamicLibrary {
public:
  /// Loads the first of `names` that the loader finds. Errors: it finds none.
  static Result<DynamicLibrary> load(std::initializer_list<const char *> names);

  /// Sets `function` to the library's function `name`. Errors: it has none of that name.
  template <typename Function> Status find(const char *name, Function *&function) const {
    Result<void *> address = findAddress(name);
    if (!address.isOk())
      return address.takeStatus();
    function = reinterpret_cast<Function *>(*address);
    return {};
  }

private:
  DynamicLibrary(void *handle, const char *name) : handle(handle), name(name) {}
  Result<void *> findAddress(const char *function) const;

  void *handle;
  const char *name;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_DYNAMIC_LIBRARY_H
