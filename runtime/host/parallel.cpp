// Runs chunks of a loop on libgomp's threads.
//
// oneDNN is built for libgomp. A pool of our own beside it would leave two sets of threads spinning on the same
// cores, so loops enter libgomp by the function that GCC compiles `#pragma omp parallel` to; Clang compiles the
// pragma for another library.
#include "runtime/host/parallel.h"

#include <algorithm>

extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned numThreads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace sheaf::rt::host {

int numThreads() { return omp_get_max_threads(); }

void setNumThreads(int count) { omp_set_num_threads(count); }

namespace detail {
namespace {

struct Loop {
  int64_t begin, end, grain;
  RangeFunction function;
  const void *body;
};

/// The share of the calling thread. The team may be smaller than asked for.
void runShare(void *data) {
  const Loop &loop = *static_cast<const Loop *>(data);
  int64_t numGrains = (loop.end - loop.begin - 1) / loop.grain + 1;
  int64_t team = omp_get_num_threads(), member = omp_get_thread_num();
  int64_t first = numGrains / team * member + std::min(numGrains % team, member);
  int64_t count = numGrains / team + (member < numGrains % team);
  int64_t begin = loop.begin + first * loop.grain;
  int64_t end = first + count == numGrains ? loop.end : begin + count * loop.grain;
  if (begin < end)
    loop.function(loop.body, begin, end);
}

} // namespace

void runChunks(int64_t begin, int64_t end, int64_t grain, RangeFunction function,
               const void *body) {
  int64_t numGrains = (end - begin - 1) / grain + 1;
  auto team = static_cast<unsigned>(std::min<int64_t>(numThreads(), numGrains));
  if (team <= 1) {
    function(body, begin, end);
    return;
  }
  Loop loop{begin, end, grain, function, body};
  GOMP_parallel(&runShare, &loop, team, /*flags=*/0);
}

} // namespace detail
} // namespace sheaf::rt::host
