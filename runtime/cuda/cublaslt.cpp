// Fills the table of libcublasLt.
#include "runtime/cuda/cublaslt.h"

#include "runtime/cuda/dynamic_library.h"

namespace sheaf::rt::cuda {
namespace {

CublasLt table;

Status load() {
  auto library = DynamicLibrary::load({"libcublasLt.so.13", "libcublasLt.so.12"});
  if (!library.isOk())
    return library.takeStatus();
#define SHEAF_FIND(name)                                                                           \
  if (Status status = library->find(#name, table.name); !status.isOk())                            \
  return status
  SHEAF_CUBLASLT_FUNCTIONS(SHEAF_FIND);
#undef SHEAF_FIND
  return {};
}

} // namespace

Status loadCublasLt() {
  static const Status loaded = load(); // Ranks that are threads come at the same time.
  return loaded.isOk() ? Status() : Status::invalid("no usable GPU: ", loaded.text());
}

const CublasLt &cublasLt() { return table; }

Status statusOf(cublasStatus_t error, const char *function) {
  if (error == CUBLAS_STATUS_SUCCESS)
    return {};
  return Status::failed(function, ": ", table.cublasLtGetStatusString(error));
}

} // namespace sheaf::rt::cuda
