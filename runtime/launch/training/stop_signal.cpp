// Catches signals.
#include "runtime/launch/training/stop_signal.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace sheaf::rt::launch {
namespace {

constexpr int64_t sameWishMs = 250;

/// When the first signal came, in milliseconds of a steady clock; 0: none did.
std::atomic<int64_t> firstMs = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free, "handlers may not take locks");

/// Calls only what a handler may.
void handle(int signal) {
  int savedErrno = errno;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t nowMs = int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000 + 1;
  int64_t none = 0;
  if (!firstMs.compare_exchange_strong(none, nowMs) && nowMs - none >= sameWishMs) {
    struct sigaction ends{};
    ends.sa_handler = SIG_DFL;
    sigaction(signal, &ends, nullptr);
    raise(signal); // Delivered when this returns.
  }
  errno = savedErrno;
}

} // namespace

StopSignal::StopSignal() {
  firstMs = 0;
  struct sigaction catches{};
  catches.sa_handler = handle;
  catches.sa_flags = SA_RESTART;
  for (size_t i = 0; i < signals.size(); ++i)
    sigaction(signals[i], &catches, &before[i]);
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < signals.size(); ++i)
    sigaction(signals[i], &before[i], nullptr);
}

bool StopSignal::isRaised() const { return firstMs != 0; }

} // namespace sheaf::rt::launch
