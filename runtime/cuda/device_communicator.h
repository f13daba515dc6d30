// What waits for a GPU whose work may wait for other ranks.
#ifndef SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H
#define SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/cudart.h"

#include <span>

namespace sheaf::rt::cuda {

/// A communicator whose collectives are in streams.
class DeviceCommunicator : public Communicator {
public:
  /// Returns when all work of `streams` is done. Errors: that of a collective; a rank that has failed; ranks that did
  /// not come in time (they are named). Collectives are then given up.
  virtual Status await(std::span<const cudaStream_t> streams) = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H
