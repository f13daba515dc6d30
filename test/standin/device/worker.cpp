// The worker that runs what lies in the streams, and checks what each operation accessed.
#include <thread>

#include "test/standin/device/engine.h"
#include "test/standin/device/shadow.h"

namespace sheaf::standin {

std::shared_ptr<Allocation> Execution::find(uint64_t address, uint64_t bytes) {
  std::shared_ptr<Allocation> allocation = addresses.find(address);
  if (!allocation)
    throw OperationError("accesses " + std::to_string(bytes) +
                         " bytes at an address of no allocation");
  if (allocation->isFreed)
    throw OperationError("accesses " + allocation->describe(address) + ", which was freed");
  if (bytes > allocation->end() - address)
    throw OperationError("accesses " + std::to_string(bytes) + " bytes at " +
                         allocation->describe(address) + ": past the end");
  return allocation;
}

std::byte *Execution::access(const void *address, uint64_t bytes, bool isWrite) {
  const auto at = reinterpret_cast<uint64_t>(address);
  if (bytes == 0)
    return nullptr;
  std::shared_ptr<Allocation> allocation = find(at, bytes);
  if (isWrite)
    accesses.write(at, bytes);
  else
    accesses.read(at, bytes);
  return allocation->host + (at - allocation->begin);
}

bool Engine::isReady(Stream &stream) {
  if (stream.queue.empty())
    return false;
  Stream::Entry &entry = stream.queue.front();
  for (const std::shared_ptr<Completion> &wait : entry.operation.waits)
    if (!wait->isDone)
      return false;
  // A device that has failed runs nothing, so nothing on it waits either.
  return !entry.operation.isReady || !failures[static_cast<size_t>(stream.device)].empty() ||
         entry.operation.isReady();
}

/// The stream whose next operation runs; waits until there is one.
Stream *Engine::choose(std::unique_lock<std::mutex> &lock) {
  while (true) {
    std::vector<Stream *> ready;
    bool mustAsk = false;
    for (std::unique_ptr<Stream> &stream : streams) {
      if (isReady(*stream))
        ready.push_back(stream.get());
      else if (!stream->queue.empty() && stream->queue.front().operation.isReady)
        mustAsk = true;
    }
    if (!ready.empty()) {
      // Streams run ahead of each other in bursts: that finds more than a fair order.
      if (burst > 0 && std::ranges::find(ready, favourite) != ready.end()) {
        --burst;
        return favourite;
      }
      favourite = ready[chosenSeed == 0 ? 0 : random() % ready.size()];
      burst = chosenSeed == 0 ? 0 : static_cast<unsigned>(random() % 6);
      return favourite;
    }
    if (mustAsk && breakDeadlock())
      continue;
    if (mustAsk)
      changed.wait_for(lock, std::chrono::milliseconds(1));
    else
      changed.wait(lock);
  }
}

void Engine::work() {
  std::unique_lock lock(mutex);
  while (true) {
    Stream *stream = choose(lock);
    if (chosenSeed != 0 && random() % 16 == 0) {
      const auto delay = std::chrono::microseconds(random() % 100);
      lock.unlock();
      std::this_thread::sleep_for(delay);
      lock.lock();
    }
    runNext(*stream, lock);
  }
}

void Engine::runNext(Stream &stream, std::unique_lock<std::mutex> &lock) {
  // Entries behind the first may be added meanwhile; a deque keeps the first in its place.
  Stream::Entry &entry = stream.queue.front();
  const bool mustRun = entry.operation.run && failures[static_cast<size_t>(stream.device)].empty();
  if (mustRun) {
    lock.unlock();
    Execution execution(space);
    try {
      entry.operation.run(execution);
      check(stream, entry, execution.log());
    } catch (const OperationError &error) {
      lock.lock();
      std::string who = describe(entry.epoch);
      lock.unlock();
      fail(stream.device, who + " " + error.what());
    }
    lock.lock();
  }
  entry.completion->isDone = true;
  entry.completion->time = std::chrono::steady_clock::now();
  if (entry.completion->isAwaited)
    ended.notify_all();
  stream.queue.pop_front();
}

std::string Engine::describe(Epoch epoch) {
  const Stream &stream = *streams[epoch.stream - 1];
  return "stream " + std::to_string(epoch.stream) + ", operation " + std::to_string(epoch.index) +
         " (" + *stream.names[epoch.index - 1] + ")";
}

void Engine::check(Stream &stream, const Stream::Entry &entry, const AccessLog &accesses) {
  auto report = [&](const Allocation &allocation, const Conflict &conflict, uint64_t begin,
                    uint64_t end) {
    const uint64_t from = std::max(begin, conflict.begin), to = std::min(end, conflict.end);
    std::lock_guard lock(mutex);
    const bool isRead =
        conflict.kind == Conflict::NeverWritten || conflict.kind == Conflict::ReadAfterWrite;
    std::string text = describe(entry.epoch) + (isRead ? " reads " : " writes ") +
                       std::to_string(to - from) + " bytes of " + allocation.describe(from);
    if (conflict.kind == Conflict::NeverWritten)
      return text + ", which nothing has written";
    return text + ", which " + describe(conflict.other) +
           (conflict.kind == Conflict::WriteAfterRead ? " reads" : " writes") +
           ", and nothing orders the two";
  };
  auto inspect = [&](const AccessLog::Range &range, bool isWrite) {
    for (uint64_t begin = range.begin; begin < range.end;) {
      std::shared_ptr<Allocation> allocation = space.find(begin);
      if (!allocation)
        return;
      const uint64_t end = std::min(range.end, allocation->end());
      std::optional<Conflict> conflict =
          isWrite ? allocation->shadow->write(begin, end, entry.epoch, entry.clock)
                  : allocation->shadow->read(begin, end, entry.epoch, entry.clock,
                                             allocation->device == hostDevice);
      if (conflict)
        fail(stream.device, report(*allocation, *conflict, begin, end));
      begin = end;
    }
  };
  for (const AccessLog::Range &range : accesses.reads())
    inspect(range, false);
  for (const AccessLog::Range &range : accesses.writes())
    inspect(range, true);
}

} // namespace sheaf::standin
