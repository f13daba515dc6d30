// What builds without NCCL's header have instead of its memory: none.
#include "runtime/cuda/collective_memory.h"

namespace sheaf::rt::cuda {

void *CollectiveMemory::allocate(size_t) { return nullptr; }
void CollectiveMemory::free(void *) {}

} // namespace sheaf::rt::cuda
