// Waits for the threads of a group: busy for some microseconds, then asleep.
#include "runtime/comm/rendezvous.h"

#include <chrono>
#include <immintrin.h>
#include <sched.h>

namespace sheaf::rt::comm {

uint64_t Rendezvous::arrive(int member, Lock &) {
  uint64_t phase = phasesDone.load(std::memory_order_relaxed);
  hasCome[static_cast<size_t>(member)] = true;
  if (++numCome == size) {
    numCome = 0;
    hasCome.assign(hasCome.size(), false);
    phasesDone.store(phase + 1, std::memory_order_release);
    changed.notify_all();
  }
  return phase;
}

bool Rendezvous::spin(uint64_t phase) const {
  constexpr int numPauses = 64, numYields = 16;
  auto isDone = [&] { return phasesDone.load(std::memory_order_acquire) != phase; };
  for (int i = 0; i < numPauses; ++i) {
    if (isDone())
      return true;
    _mm_pause();
  }
  // There may be more ranks than cores: let the others come.
  for (int i = 0; i < numYields; ++i) {
    if (isDone())
      return true;
    sched_yield();
  }
  return isDone();
}

Status Rendezvous::meet(int member, int timeoutMs, const LateText &lateText) {
  Lock lock(mutex);
  if (isBroken)
    return Status::aborted(reason);
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
  uint64_t phase = arrive(member, lock);
  auto isDone = [&] { return phasesDone.load(std::memory_order_relaxed) != phase; };
  lock.unlock();
  if (spin(phase))
    return {};
  lock.lock();
  auto isDecided = [&] { return isDone() || isBroken; };
  if (timeoutMs == 0)
    changed.wait(lock, isDecided);
  else if (!changed.wait_until(lock, deadline, isDecided)) {
    // Under the lock, so nobody can complete the meeting any more.
    isBroken = true;
    reason = lateText(hasCome);
    changed.notify_all();
    return Status::timedOut(reason);
  }
  return isDone() ? Status() : Status::aborted(reason);
}

void Rendezvous::part(int member) {
  Lock lock(mutex);
  uint64_t phase = arrive(member, lock);
  lock.unlock();
  if (spin(phase))
    return;
  lock.lock();
  changed.wait(lock, [&] { return phasesDone.load(std::memory_order_relaxed) != phase; });
}

void Rendezvous::breakUp(const std::string &why) {
  Lock lock(mutex);
  if (isBroken)
    return;
  isBroken = true;
  reason = why;
  changed.notify_all();
}

} // namespace sheaf::rt::comm
