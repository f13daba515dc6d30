// Fills the table of libnccl.
#include "runtime/cuda/nccl.h"

#include "runtime/cuda/dynamic_library.h"

namespace sheaf::rt::cuda {
namespace {

Nccl table;

Status load() {
  Result<DynamicLibrary> library = DynamicLibrary::load({"libnccl.so.2"});
  if (!library.isOk())
    return library.takeStatus();
#define SHEAF_FIND(name)                                                                           \
  if (Status status = library->find(#name, table.name); !status.isOk())                            \
  return status
  SHEAF_NCCL_FUNCTIONS(SHEAF_FIND);
#undef SHEAF_FIND
#define SHEAF_TRY(name) (void)library->find(#name, table.name).isOk()
  SHEAF_NCCL_OPTIONAL_FUNCTIONS(SHEAF_TRY);
#undef SHEAF_TRY
  return {};
}

} // namespace

Status loadNccl() {
  static const Status loaded = load(); // Ranks that are threads come at the same time.
  return loaded.isOk() ? Status() : Status::invalid("no usable GPU: ", loaded.text());
}

const Nccl &nccl() { return table; }

} // namespace sheaf::rt::cuda
