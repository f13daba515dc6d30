// Starts, feeds and ends the threads of a device's streams.
#include "runtime/host/stream_team.h"

namespace sheaf::rt::host {
namespace {

constexpr uint64_t stop = UINT64_MAX;

} // namespace

StreamTeam::~StreamTeam() {
  started.store(stop, std::memory_order_release);
  started.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void StreamTeam::run(uint32_t count, const std::function<void(uint32_t)> &function) {
  uint64_t numBefore = started.load(std::memory_order_relaxed);
  while (threads.size() + 1 < count)
    threads.emplace_back([this, stream = static_cast<uint32_t>(threads.size() + 1), numBefore] {
      work(stream, numBefore);
    });
  if (count > 1) {
    body = &function;
    numStreams = count;
    numBusy.store(threads.size(), std::memory_order_relaxed);
    started.store(numBefore + 1, std::memory_order_release);
    started.notify_all();
  }
  function(0);
  for (size_t seen; (seen = numBusy.load(std::memory_order_acquire)) != 0;)
    numBusy.wait(seen, std::memory_order_acquire);
}

void StreamTeam::work(uint32_t stream, uint64_t numBefore) {
  for (uint64_t run = numBefore;; ++run) {
    started.wait(run, std::memory_order_acquire);
    if (started.load(std::memory_order_acquire) == stop)
      return;
    if (stream < numStreams)
      (*body)(stream);
    if (numBusy.fetch_sub(1, std::memory_order_release) == 1)
      numBusy.notify_all();
  }
}

} // namespace sheaf::rt::host
