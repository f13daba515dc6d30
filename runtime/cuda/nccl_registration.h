// Tells NCCL of blocks of memory that it may reach directly.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_REGISTRATION_H
#define SHEAF_RUNTIME_CUDA_NCCL_REGISTRATION_H

#include "runtime/cuda/nccl.h"

#include <map>
#include <memory>
#include <mutex>

namespace sheaf::rt::cuda {

/// The blocks that are registered with one communicator, which must not end before `clear` or `forget`. Only speed
/// depends on them: a version of NCCL without registration, or one that refuses a block, copies through buffers of its
/// own.
class NcclRegistrations : public std::enable_shared_from_this<NcclRegistrations> {
public:
  explicit NcclRegistrations(ncclComm_t comm) : comm(comm) {}

  /// Registers the whole block that holds the byte at `address`, once; until it is freed.
  void add(const void *address);
  /// Takes all of them back.
  void clear();
  /// Leaves them to a communicator that is given up.
  void forget();

private:
  void remove(void *begin);

  std::mutex mutex; ///< Memory may be freed by another thread.
  ncclComm_t comm;
  std::map<void *, void *> handles; ///< by the begin of the block; null: NCCL refused it
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_REGISTRATION_H
