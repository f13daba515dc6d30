// libcudart: stream capture and graphs.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>

#include "test/standin/cudart/control.h"
#include "test/standin/cudart/fault.h"
#include "test/standin/cudart/state.h"

namespace sheaf::standin::cudart {

/// Captures that are under way.
struct ActiveCaptures {
  std::mutex mutex;
  std::list<std::shared_ptr<Capture>> captures;

  static ActiveCaptures &get() {
    static auto *active = new ActiveCaptures;
    return *active;
  }
};

bool breaksCapture() {
  ActiveCaptures &active = ActiveCaptures::get();
  std::lock_guard lock(active.mutex);
  bool isBroken = false;
  for (const std::shared_ptr<Capture> &capture : active.captures) {
    if (capture->thread != std::this_thread::get_id())
      continue;
    capture->isInvalid = true;
    isBroken = true;
  }
  return isBroken;
}

static std::atomic<uint64_t> numSingle = 0;

cudaError_t submit(Stream &stream, Operation operation) {
  if (!stream.capture) {
    numSingle += operation.isWork;
    Engine::get().enqueue(stream, std::move(operation));
    return cudaSuccess;
  }
  if (stream.capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  stream.capture->add(stream, std::move(operation));
  return cudaSuccess;
}

} // namespace sheaf::standin::cudart

using namespace sheaf::standin;
using namespace sheaf::standin::cudart;

/// Tells at the end of the process, where that is asked for.
struct LaunchCount : std::atomic<uint64_t> {
  ~LaunchCount() {
    if (std::getenv("SHEAF_STANDIN_REPORT"))
      std::fprintf(stderr,
                   "standin: %llu graphs launched, %llu operations outside of graphs, "
                   "%llu round trips\n",
                   static_cast<unsigned long long>(load()),
                   static_cast<unsigned long long>(numSingle),
                   static_cast<unsigned long long>(Engine::get().roundTrips()));
  }
};
static LaunchCount numLaunches;

uint64_t sheafStandinGraphLaunches() { return numLaunches; }

uint64_t sheafStandinSingleOperations() { return numSingle; }

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!stream || !handle)
      return stream ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidResourceHandle;
    if (stream->capture)
      return cudaErrorIllegalState;
    stream->capture = std::make_shared<Capture>(*stream);
    ActiveCaptures &active = ActiveCaptures::get();
    std::lock_guard lock(active.mutex);
    active.captures.push_back(stream->capture);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  return call([&] {
    *graph = nullptr;
    Stream *stream = toStream(handle);
    if (!stream || !stream->capture)
      return stream ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture = stream->capture;
    if (capture->origin != stream)
      return cudaErrorStreamCaptureUnmatched;
    {
      ActiveCaptures &active = ActiveCaptures::get();
      std::lock_guard lock(active.mutex);
      active.captures.remove(capture);
    }
    const bool isJoined = capture->isJoined();
    Graph finished = capture->finish();
    if (capture->isInvalid || isPlanted("break_capture"))
      return cudaErrorStreamCaptureInvalidated;
    if (!isJoined)
      return cudaErrorStreamCaptureUnjoined;
    *graph = reinterpret_cast<cudaGraph_t>(new Graph(std::move(finished)));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    *status = !stream->capture             ? cudaStreamCaptureStatusNone
              : stream->capture->isInvalid ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
  return call([&] {
    if (!graph)
      return cudaErrorInvalidValue;
    *exec = reinterpret_cast<cudaGraphExec_t>(
        new GraphRunner(*reinterpret_cast<Graph *>(graph), currentDevice()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!exec || !stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture)
      return cudaErrorNotSupported;
    if (isPlanted("stray_graph"))
      stream = &Engine::get().createStream(stream->device, /*isBlocking=*/false);
    ++numLaunches;
    reinterpret_cast<GraphRunner *>(exec)->launch(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete reinterpret_cast<GraphRunner *>(exec);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph *>(graph);
  return cudaSuccess;
}
