// Threads' devices and errors, captures that are under way, and what tests ask for.
#include "test/standin/cudart/state.h"

#include "test/standin/cudart/control.h"

namespace sheaf::standin::cudart {

int &currentDevice() {
  thread_local int device = 0;
  return device;
}

cudaError_t &lastError() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

Stream *toStream(cudaStream_t handle) {
  Engine &engine = Engine::get();
  if (handle == nullptr || handle == cudaStreamLegacy)
    return &engine.defaultStream(currentDevice());
  auto *stream = reinterpret_cast<Stream *>(handle);
  return engine.isStream(stream) ? stream : nullptr;
}

cudaError_t call(const std::function<cudaError_t()> &function) {
  Engine &engine = Engine::get();
  if (currentDevice() >= engine.numDevices())
    return lastError() = cudaErrorNoDevice;
  if (!engine.failureOf(currentDevice()).empty())
    return lastError() = cudaErrorIllegalAddress;
  cudaError_t error = function();
  // A failure that came up meanwhile is told by the call that waited for it.
  if (error == cudaSuccess && !engine.failureOf(currentDevice()).empty())
    error = cudaErrorIllegalAddress;
  if (error != cudaSuccess && error != cudaErrorNotReady)
    lastError() = error;
  return error;
}

} // namespace sheaf::standin::cudart

using namespace sheaf::standin;

uint64_t sheafStandinHostWaits() { return Engine::get().hostWaits(); }

uint64_t sheafStandinRoundTrips() { return Engine::get().roundTrips(); }

uint64_t sheafStandinRegistrations() { return Engine::get().addresses().numRegistrations(); }

const char *sheafStandinFailure(int device) {
  thread_local std::string text;
  text = Engine::get().failureOf(device);
  return text.c_str();
}
