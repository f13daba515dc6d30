// libcudart: streams and events.
#include <chrono>

#include "test/standin/cudart/fault.h"
#include "test/standin/cudart/state.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudart;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags) {
  return call([&] {
    Stream &stream = Engine::get().createStream(currentDevice(), !(flags & cudaStreamNonBlocking));
    *handle = reinterpret_cast<cudaStream_t>(&stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t *handle) {
  return cudaStreamCreateWithFlags(handle, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *handle, unsigned flags, int) {
  return cudaStreamCreateWithFlags(handle, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Stream *stream = toStream(handle);
  if (!handle || !stream)
    return lastError() = cudaErrorInvalidResourceHandle;
  Engine::get().destroyStream(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
      stream->capture->isInvalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    Engine::get().waitForStream(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    Engine &engine = Engine::get();
    return engine.query(engine.lastOf(*stream)) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t eventHandle, unsigned) {
  return call([&] {
    Stream *stream = toStream(handle);
    Event *event = toEvent(eventHandle);
    if (!stream || !event)
      return cudaErrorInvalidResourceHandle;
    if (isPlanted("drop_wait"))
      return cudaSuccess;
    if (event->capture) {
      if (stream->capture && stream->capture != event->capture)
        return cudaErrorStreamCaptureIsolation;
      stream->capture = event->capture;
      event->capture->join(*stream, event->nodes);
      return cudaSuccess;
    }
    if (stream->capture) {
      stream->capture->isInvalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (event->completion)
      Engine::get().enqueue(*stream, idle(Operation("wait for an event", {}, {event->completion})));
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
  return call([&] {
    Stream *stream = toStream(handle);
    return stream
               ? submit(*stream, Operation("host function", [=](Execution &) { function(data); }))
               : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags) {
  return call([&] {
    auto *event = new Event;
    event->hasTime = !(flags & cudaEventDisableTiming);
    *handle = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *handle) {
  return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  delete toEvent(handle);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t streamHandle) {
  return call([&] {
    Event *event = toEvent(handle);
    Stream *stream = toStream(streamHandle);
    if (!event || !stream)
      return cudaErrorInvalidResourceHandle;
    event->capture = stream->capture;
    if (stream->capture)
      event->nodes = stream->capture->frontier(*stream);
    else
      event->completion = Engine::get().enqueue(*stream, idle(Operation("record of an event")));
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call([&] {
    Event *event = toEvent(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    if (event->capture) {
      event->capture->isInvalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    Engine::get().wait(event->completion);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call([&] {
    Event *event = toEvent(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    return Engine::get().query(event->completion) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t startHandle,
                                 cudaEvent_t endHandle) {
  return call([&] {
    Event *start = toEvent(startHandle), *end = toEvent(endHandle);
    if (!start || !end || !start->hasTime || !end->hasTime || !start->completion ||
        !end->completion)
      return cudaErrorInvalidResourceHandle;
    Engine &engine = Engine::get();
    if (!engine.query(start->completion) || !engine.query(end->completion))
      return cudaErrorNotReady;
    *milliseconds =
        std::chrono::duration<float, std::milli>(end->completion->time - start->completion->time)
            .count();
    return cudaSuccess;
  });
}
