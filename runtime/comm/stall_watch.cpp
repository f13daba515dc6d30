// Counts the beats of places, and the time since the last one.
#include "runtime/comm/stall_watch.h"

#include <algorithm>
#include <chrono>

namespace sheaf::rt::comm {

static int64_t nowMs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

StallWatch::Place::Place(StallWatch &watch) : watch(watch) {
  std::lock_guard lock(watch.mutex);
  watch.places.push_back(this);
}

StallWatch::Place::~Place() {
  std::lock_guard lock(watch.mutex);
  watch.places.remove(this);
}

StallWatch::Visit::Visit(Place &place, const CollectiveSite &site) : place(place) {
  std::lock_guard lock(place.watch.mutex);
  place.site = &site;
  place.beat(); // Of the pause before it nothing is counted.
}

StallWatch::Visit::~Visit() {
  std::lock_guard lock(place.watch.mutex);
  place.site = nullptr;
}

StallWatch::StallWatch(int timeoutMs, StallListener onStall)
    : timeoutMs(timeoutMs), onStall(std::move(onStall)) {
  if (timeoutMs > 0)
    thread = std::thread([this] { run(); });
}

StallWatch::~StallWatch() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  thread.join();
}

void StallWatch::run() {
  constexpr int looksPerTimeout = 10;
  std::chrono::milliseconds pause(std::max(1, timeoutMs / looksPerTimeout));
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, pause, [&] { return isOver; })) {
    int64_t now = nowMs();
    for (Place *place : places) {
      uint64_t beats = place->beats.load(std::memory_order_relaxed);
      if (!place->site || beats != place->beatsSeen) {
        place->beatsSeen = beats;
        place->seenMs = now;
      } else if (now - place->seenMs > timeoutMs) {
        onStall(*place->site);
        place->seenMs = now;
      }
    }
  }
}

} // namespace sheaf::rt::comm
