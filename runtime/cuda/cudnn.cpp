// Fills the table of libcudnn.
#include "runtime/cuda/cudnn.h"

#include "runtime/cuda/dynamic_library.h"

namespace sheaf::rt::cuda {
namespace {

Cudnn table;

Status load() {
  auto library = DynamicLibrary::load({"libcudnn.so.9"});
  if (!library.isOk())
    return library.takeStatus();
#define SHEAF_FIND(name)                                                                           \
  if (Status status = library->find(#name, table.name); !status.isOk())                            \
  return status
  SHEAF_CUDNN_FUNCTIONS(SHEAF_FIND);
#undef SHEAF_FIND
  return {};
}

} // namespace

Status loadCudnn() {
  static const Status loaded = load(); // Ranks that are threads come at the same time.
  return loaded.isOk() ? Status() : Status::invalid(loaded.text());
}

const Cudnn &cudnn() { return table; }

Status statusOf(cudnnStatus_t error, const char *function) {
  if (error == CUDNN_STATUS_SUCCESS)
    return {};
  return Status::failed(function, ": ", table.cudnnGetErrorString(error));
}

Result<CudnnHandle> CudnnHandle::open(cudaStream_t queue) {
  if (Status status = loadCudnn(); !status.isOk())
    return std::move(status).annotated("cuDNN 9 is missing");
  CudnnHandle made;
  if (Status status = statusOf(cudnn().cudnnCreate(&made.handle), "cudnnCreate"); !status.isOk())
    return status;
  if (Status status = statusOf(cudnn().cudnnSetStream(made.handle, queue), "cudnnSetStream");
      !status.isOk())
    return status;
  return made;
}

CudnnHandle::~CudnnHandle() {
  if (handle)
    cudnn().cudnnDestroy(handle);
}

} // namespace sheaf::rt::cuda
