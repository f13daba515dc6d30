// Loops over several threads, in the pool that oneDNN uses too.
#ifndef SHEAF_RUNTIME_HOST_PARALLEL_H
#define SHEAF_RUNTIME_HOST_PARALLEL_H

#include <algorithm>
#include <cstdint>

namespace sheaf::rt::host {

/// Threads that loops started by this thread use, oneDNN's included.
int numThreads();

/// Sets that number for loops started by the calling thread.
void setNumThreads(int count);

/// Makes loops started by the calling thread use that thread alone while this lives, oneDNN's included.
class OneThread {
public:
  /// Does nothing unless `isWanted`.
  explicit OneThread(bool isWanted) : isLimited(isWanted), before(isWanted ? numThreads() : 0) {
    if (isLimited)
      setNumThreads(1);
  }
  ~OneThread() {
    if (isLimited)
      setNumThreads(before);
  }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  bool isLimited;
  int before;
};

// A second thread saves half of the time of a step. It costs 1 to 5 us to begin and to wait for, and where others want
// its core too, a time slice of the system: milliseconds. Steps that one thread does in 20 us are not worth that: a
// second one could save 10.
inline constexpr double secondsForOneThread = 20e-6;
inline constexpr double flopsPerSecond = 100e9,
                        bytesPerSecond = 10e9; ///< of one core, in the library's products

/// Whether one thread should do all of the work when it computes `flops` in the library and moves `bytes`.
inline bool isForOneThread(double flops, double bytes) {
  return flops / flopsPerSecond + bytes / bytesPerSecond < secondsForOneThread;
}

namespace detail {
using RangeFunction = void (*)(const void *body, int64_t begin, int64_t end);
void runChunks(int64_t begin, int64_t end, int64_t grain, RangeFunction function, const void *body);
} // namespace detail

/// Calls `body(chunkBegin, chunkEnd)` for chunks that together are [begin, end), one chunk per thread at most. Chunks
/// begin at `begin` plus multiples of `grain` (at least 1); a range of at most `grain` runs in the caller.
/// `body` must not throw.
template <typename Body>
void parallelFor(int64_t begin, int64_t end, int64_t grain, const Body &body) {
  if (end - begin <= grain) {
    if (begin < end)
      body(begin, end);
    return;
  }
  detail::runChunks(
      begin, end, grain,
      [](const void *body, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(body))(begin, end);
      },
      &body);
}

/// A grain for loops whose iterations take `seconds` each; two grains are the least that two threads share.
inline int64_t grainForSeconds(double seconds) {
  constexpr double perThread = secondsForOneThread / 2;
  return seconds >= perThread ? 1 : static_cast<int64_t>(perThread / std::max(seconds, 1e-10));
}

/// The same for iterations that move `bytes` each.
inline int64_t grainFor(int64_t bytes) {
  return grainForSeconds(static_cast<double>(bytes) / bytesPerSecond);
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_PARALLEL_H
