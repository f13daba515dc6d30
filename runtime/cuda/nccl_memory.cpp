// Gets memory for collectives from NCCL.
#include "runtime/cuda/collective_memory.h"
#include "runtime/cuda/nccl.h"

namespace sheaf::rt::cuda {

void *CollectiveMemory::allocate(size_t bytes) {
  if (bytes < minBytes || !loadNccl().isOk() || !nccl().ncclMemAlloc || !nccl().ncclMemFree)
    return nullptr;
  void *block = nullptr;
  return nccl().ncclMemAlloc(&block, bytes) == ncclSuccess ? block : nullptr;
}

void CollectiveMemory::free(void *block) { nccl().ncclMemFree(block); }

} // namespace sheaf::rt::cuda
