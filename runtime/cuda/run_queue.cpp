// Puts events between the runs of a device.
#include "runtime/cuda/run_queue.h"

namespace sheaf::rt::cuda {
namespace {

/// Records `event`, which is made when it is needed first.
Status recordIn(Event &event, cudaStream_t stream) {
  if (!event) {
    Result<Event> made = Event::create();
    if (!made.isOk())
      return made.takeStatus();
    event = std::move(*made);
  }
  return event.record(stream);
}

} // namespace

Status RunQueue::order(std::span<const cudaStream_t> streams, bool isForAll) {
  if (isIdle)
    return {};
  streamEnds.resize(std::max(streamEnds.size(), open.size()));
  for (size_t i = 0; i < open.size(); ++i) {
    if (Status status = recordIn(streamEnds[i], open[i]); !status.isOk())
      return status;
    if (Status status = streamEnds[i].await(streams[0]); !status.isOk())
      return status;
  }
  open.clear();
  if (!isForAll || streams.size() == 1)
    return {};
  if (Status status = recordIn(begin, streams[0]); !status.isOk())
    return status;
  for (cudaStream_t stream : streams.subspan(1))
    if (Status status = begin.await(stream); !status.isOk())
      return status;
  return {};
}

Status RunQueue::add(std::span<const cudaStream_t> streams) {
  isIdle = false;
  open.assign(streams.begin() + 1, streams.end());
  ends.resize(maxRuns);
  if (Status status = recordIn(ends[numAdded % maxRuns], streams[0]); !status.isOk())
    return status;
  ++numAdded;
  ++numRuns;
  return {};
}

Result<bool> RunQueue::advance() {
  if (numRuns == 0)
    return false;
  Result<bool> hasEnded = oldest().hasPassed();
  if (hasEnded.isOk() && *hasEnded)
    --numRuns;
  return hasEnded;
}

Status RunQueue::awaitOldest() {
  if (Status status = oldest().synchronize(); !status.isOk())
    return status;
  --numRuns;
  return {};
}

void RunQueue::clear() {
  numRuns = 0;
  open.clear();
  isIdle = true;
  ++clears;
}

} // namespace sheaf::rt::cuda
