// Loops over several threads, in the pool that oneDNN uses too.
#ifndef SHEAF_RUNTIME_HOST_PARALLEL_H
#define SHEAF_RUNTIME_HOST_PARALLEL_H

#include <cstdint>

namespace sheaf::rt::host {

/// Threads that loops started by this thread use, oneDNN's included.
int numThreads();

/// Sets that number for loops started by the calling thread.
void setNumThreads(int count);

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

/// A grain for loops whose iterations move `bytes` bytes each: below it a second thread costs more than it gains.
inline int64_t grainFor(int64_t bytes) {
  constexpr int64_t minBytesPerThread = 32 << 10;
  return bytes >= minBytesPerThread ? 1 : minBytesPerThread / (bytes > 0 ? bytes : 1);
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_PARALLEL_H
