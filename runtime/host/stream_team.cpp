// Starts, feeds and ends the threads of a program's streams.
#include "runtime/host/stream_team.h"

namespace sheaf::rt::host {
namespace {

constexpr uint64_t stop = UINT64_MAX;

} // namespace

StreamTeam::StreamTeam(uint32_t numStreams, std::function<void()> enter,
                       std::function<void(uint32_t)> body)
    : enter(std::move(enter)), body(std::move(body)) {
  for (uint32_t stream = 1; stream < numStreams; ++stream)
    threads.emplace_back([this, stream] { work(stream); });
}

StreamTeam::~StreamTeam() {
  started.store(stop, std::memory_order_release);
  started.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void StreamTeam::runAll() {
  if (!threads.empty()) {
    started.fetch_add(1, std::memory_order_release);
    started.notify_all();
  }
  body(0);
  uint64_t expected = started.load(std::memory_order_relaxed) * threads.size();
  for (uint64_t seen; (seen = finished.load(std::memory_order_acquire)) != expected;)
    finished.wait(seen, std::memory_order_acquire);
}

void StreamTeam::work(uint32_t stream) {
  enter();
  for (uint64_t run = 0;;) {
    started.wait(run, std::memory_order_acquire);
    if (started.load(std::memory_order_acquire) == stop)
      return;
    ++run;
    body(stream);
    finished.fetch_add(1, std::memory_order_release);
    finished.notify_all();
  }
}

} // namespace sheaf::rt::host
