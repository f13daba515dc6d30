// Events of streams.
#ifndef SHEAF_RUNTIME_CUDA_EVENT_H
#define SHEAF_RUNTIME_CUDA_EVENT_H

#include "runtime/cuda/cudart.h"

#include <utility>

namespace sheaf::rt::cuda {

/// A place in a stream that other streams can wait for.
class Event {
public:
  /// None.
  Event() = default;
  /// `isTimed`: it also knows when the stream passed it.
  static Result<Event> create(bool isTimed = false) {
    Event event;
    cudaError_t error = cudart().cudaEventCreateWithFlags(
        &event.handle, isTimed ? cudaEventDefault : cudaEventDisableTiming);
    if (Status status = statusOf(error, "cudaEventCreateWithFlags"); !status.isOk())
      return status;
    return event;
  }
  Event(Event &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Event() {
    if (handle)
      cudart().cudaEventDestroy(handle);
  }

  /// Whether this is one.
  explicit operator bool() const { return handle != nullptr; }

  Status record(cudaStream_t stream) const {
    return statusOf(cudart().cudaEventRecord(handle, stream), "cudaEventRecord");
  }
  /// What `stream` gets from now on runs after this.
  Status await(cudaStream_t stream) const {
    return statusOf(cudart().cudaStreamWaitEvent(stream, handle, 0), "cudaStreamWaitEvent");
  }
  /// Whether the stream has passed it. It was not recorded last while a graph was.
  Result<bool> hasPassed() const {
    cudaError_t state = cudart().cudaEventQuery(handle);
    if (state == cudaErrorNotReady) {
      cudart().cudaGetLastError(); // "Not ready" is no failure that a later call should report.
      return false;
    }
    if (Status status = statusOf(state, "cudaEventQuery"); !status.isOk())
      return status;
    return true;
  }
  /// Returns when the stream has passed it.
  Status synchronize() const {
    return statusOf(cudart().cudaEventSynchronize(handle), "cudaEventSynchronize");
  }
  /// Nanoseconds from `earlier` to this; both are timed and have passed.
  Result<int64_t> since(const Event &earlier) const {
    float ms = 0;
    cudaError_t error = cudart().cudaEventElapsedTime(&ms, earlier.handle, handle);
    if (Status status = statusOf(error, "cudaEventElapsedTime"); !status.isOk())
      return status;
    return static_cast<int64_t>(static_cast<double>(ms) * 1e6);
  }

private:
  cudaEvent_t handle = nullptr;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_EVENT_H
