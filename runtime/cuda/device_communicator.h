// What waits for a GPU whose work may wait for other ranks.
#ifndef SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H
#define SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/cudart.h"

#include <functional>

namespace sheaf::rt::cuda {

/// What a look at a GPU has found.
enum class Progress {
  none, ///< nothing has ended since the last look
  some, ///< a run has ended, others go on
  done  ///< what is waited for has ended
};

/// A communicator whose collectives are in streams.
class DeviceCommunicator : public Communicator {
public:
  /// Returns when `look`, which is called again and again, finds that all is done. The time limit begins anew with
  /// each progress. Errors: those of `look`; that of a collective; a rank that has failed; ranks that did not come in
  /// time (they are named). Collectives are then given up.
  virtual Status await(const std::function<Result<Progress>()> &look) = 0;

  /// All streams are empty.
  virtual void rest() = 0;

  /// Whether all ranks say so; all call it at the same place of a program. Errors: ranks that have failed, or did not
  /// come in time.
  virtual Result<bool> doAll(std::string_view occasion, bool own) = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_DEVICE_COMMUNICATOR_H
