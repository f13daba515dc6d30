// Fills the table of libcudart.
#include "runtime/cuda/cudart.h"

#include "runtime/cuda/dynamic_library.h"

namespace sheaf::rt::cuda {
namespace {

Cudart table;

Status load() {
  Result<DynamicLibrary> library = DynamicLibrary::load({"libcudart.so.13", "libcudart.so.12"});
  if (!library.isOk())
    return library.takeStatus();
#define SHEAF_FIND(name)                                                                           \
  if (Status status = library->find(#name, table.name); !status.isOk())                            \
  return status
  SHEAF_CUDART_FUNCTIONS(SHEAF_FIND);
#undef SHEAF_FIND
  return {};
}

} // namespace

Status loadCudart() {
  static const Status loaded = load(); // Ranks that are threads come at the same time.
  return loaded.isOk() ? Status() : Status::invalid("no usable GPU: ", loaded.text());
}

const Cudart &cudart() { return table; }

Status statusOf(cudaError_t error, const char *function) {
  if (error == cudaSuccess)
    return {};
  return Status::failed(function, ": ", table.cudaGetErrorString(error), " (",
                        table.cudaGetErrorName(error), ")");
}

} // namespace sheaf::rt::cuda
