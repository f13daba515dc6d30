// What the functions of libcudart share: handles, the thread's device and its last error.
#ifndef SHEAF_TEST_STANDIN_CUDART_STATE_H
#define SHEAF_TEST_STANDIN_CUDART_STATE_H

#include <cuda_runtime_api.h>
#include <functional>
#include <set>

#include "test/standin/device/engine.h"
#include "test/standin/device/graph.h"

namespace sheaf::standin::cudart {

struct Event {
  bool hasTime = false;
  std::shared_ptr<Completion> completion; ///< null until it is recorded
  std::shared_ptr<Capture> capture;       ///< in which it was recorded last, if any
  std::set<size_t> nodes;
};

inline Event *toEvent(cudaEvent_t handle) { return reinterpret_cast<Event *>(handle); }

/// The stream of a handle; null if there is none.
Stream *toStream(cudaStream_t handle);

/// The device that the calling thread has chosen.
int &currentDevice();
cudaError_t &lastError();

/// Runs a function of the API: remembers its error for cudaGetLastError, and returns the error of the
/// device instead of running it where that has failed.
cudaError_t call(const std::function<cudaError_t()> &function);

/// What may not be done while the thread captures a stream: invalidates the capture if it does.
bool breaksCapture();

/// Enqueues into the stream or into the graph that it is captured into.
cudaError_t submit(Stream &stream, Operation operation);

} // namespace sheaf::standin::cudart

#endif
