// Memory of a GPU that other GPUs may reach directly.
#ifndef SHEAF_RUNTIME_CUDA_COLLECTIVE_MEMORY_H
#define SHEAF_RUNTIME_CUDA_COLLECTIVE_MEMORY_H

#include <cstddef>

namespace sheaf::rt::cuda {

/// Blocks for tensors of collectives, from NCCL: only such memory can switches of NVLink read and add up in place
/// (NVLS); of other memory NCCL makes copies. Registered it is like any other, and at the same place in the blocks of
/// all ranks, which run one plan.
///
/// Source: "User Buffer Registration" in NCCL's user guide.
class CollectiveMemory {
public:
  /// Smaller blocks are not worth it: NCCL rounds them up to what the GPU maps at once, 2 MiB.
  static constexpr size_t minBytes = size_t(8) << 20;

  /// A block on the current GPU, of at least `minBytes`. Null when there is no NCCL, a version before 2.19, or no such
  /// memory: the caller does without.
  static void *allocate(size_t bytes);
  static void free(void *block);
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_COLLECTIVE_MEMORY_H
