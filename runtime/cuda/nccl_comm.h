// One communicator of NCCL's, which does not block the process.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_COMM_H
#define SHEAF_RUNTIME_CUDA_NCCL_COMM_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/nccl_registration.h"

#include <chrono>

namespace sheaf::rt::cuda {

/// How long to go on waiting for other ranks.
class Patience {
public:
  /// `processes` gives the time, and tells when a rank has failed.
  explicit Patience(Communicator &processes)
      : processes(&processes), start(std::chrono::steady_clock::now()) {}

  /// Waits a moment: at first a short one. Errors: a rank has failed, or the time is over.
  Status wait();

private:
  Communicator *processes;
  std::chrono::steady_clock::time_point start;
  int numWaits = 0;
};

/// A communicator; what it does it does behind the caller's back, who asks how it goes.
class NcclComm {
public:
  /// Of all ranks of `processes`, who got `id` from rank 0.
  static Result<NcclComm> create(const ncclUniqueId &id, Communicator &processes);
  /// Of the ranks of this one that give the same `color`, in the order of `place`. All ranks of this one call it.
  Result<NcclComm> split(int color, int place);

  NcclComm(NcclComm &&other) noexcept;
  NcclComm &operator=(NcclComm &&other) noexcept;
  /// Frees it without waiting for others.
  ~NcclComm();

  /// Calls `enqueue(comm)`, which returns an ncclResult_t, and waits until that is in its stream. `function` is for
  /// messages.
  template <typename Enqueue> Status enqueue(const char *function, const Enqueue &enqueue) {
    return settle(enqueue(handle), function);
  }

  /// Lets NCCL reach the block that holds `address` directly, where it can.
  void registerBlockOf(const void *address) { registrations->add(address); }

  /// Errors: something has failed since.
  Status check() const;
  /// Gives up all that goes on in it: what waits for other ranks ends.
  void abort();

private:
  NcclComm(ncclComm_t handle, Communicator &processes)
      : handle(handle), processes(&processes),
        registrations(std::make_shared<NcclRegistrations>(handle)) {}

  /// Waits while `result` or the communicator is in progress.
  Status settle(ncclResult_t result, const char *function) const;
  Status statusOf(ncclResult_t result, const char *function) const;

  ncclComm_t handle;
  Communicator *processes;
  std::shared_ptr<NcclRegistrations> registrations; ///< null: moved away
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_COMM_H
