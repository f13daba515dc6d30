// Orders runs of recorded or issued steps one behind the other on a GPU, without the host.
#ifndef SHEAF_RUNTIME_CUDA_RUN_QUEUE_H
#define SHEAF_RUNTIME_CUDA_RUN_QUEUE_H

#include "runtime/cuda/event.h"

#include <span>
#include <vector>

namespace sheaf::rt::cuda {

/// The runs that are in a device's streams: each begins when the one before has ended in all of its streams. The first
/// stream leads: what it gets between two runs comes behind the one and before the other.
///
/// Of those whose ends the host does not know there are at most `maxRuns`, so that the host never waits in the driver,
/// whose queues are bounded too and where it would not see that another rank has failed.
class RunQueue {
public:
  static constexpr size_t maxRuns = 64;

  /// Lets what the first of `streams` gets next come behind all earlier runs; with `isForAll` what any of them gets.
  Status order(std::span<const cudaStream_t> streams, bool isForAll);
  /// A run has been put into `streams`; of a graph the first is all, as it ends there.
  Status add(std::span<const cudaStream_t> streams);

  bool isFull() const { return numRuns == maxRuns; }
  /// Whether the oldest run has ended, as far as the GPU tells at once; it is forgotten then.
  Result<bool> advance();
  /// Returns when the oldest run has ended, and forgets it.
  Status awaitOldest();

  /// The host has waited for all streams.
  void clear();
  /// How often that was.
  uint64_t numClears() const { return clears; }

private:
  Event &oldest() { return ends[(numAdded - numRuns) % maxRuns]; }

  std::vector<Event> ends; ///< in the first stream; of run i at i modulo `maxRuns`
  uint64_t numAdded = 0;   ///< ever
  size_t numRuns = 0;      ///< whose ends are not known
  uint64_t clears = 0;
  bool isIdle = true; ///< nothing has been put into the streams since the host waited for them
  std::vector<cudaStream_t> open; ///< beside the first, in which the last run may end later
  Event begin;                    ///< of a run, for streams beside the first
  std::vector<Event> streamEnds;  ///< of a run, by place in `open`
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_RUN_QUEUE_H
