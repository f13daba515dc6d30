// Finds streams that wait for each other, and makes that the failure of their devices.
#include "test/standin/device/engine.h"

namespace sheaf::standin {

/// The streams in which there lies what the first operation of `stream` waits for. What nobody has
/// enqueued yet may still come, from a host or from another process.
std::vector<Stream *> Engine::blockersOf(const Stream &stream) {
  std::vector<Stream *> blockers;
  const Operation &operation = stream.queue.front().operation;
  std::vector<std::string> lacks;
  if (operation.lacks)
    lacks = operation.lacks();
  for (std::unique_ptr<Stream> &other : streams) {
    bool isBlocker = std::ranges::any_of(operation.waits, [&](const auto &wait) {
      return !wait->isDone && wait->stream == other.get();
    });
    for (const Stream::Entry &entry : other->queue)
      for (const std::string &thing : entry.operation.brings)
        isBlocker |= std::ranges::find(lacks, thing) != lacks.end();
    if (isBlocker)
      blockers.push_back(other.get());
  }
  return blockers;
}

/// Called where no operation is ready. Returns whether there was a cycle; then its devices have failed, so
/// that their streams run empty.
bool Engine::breakDeadlock() {
  // From every stream, follow blockers depth first until a stream on the path comes again.
  std::map<const Stream *, bool> isDone;
  std::vector<Stream *> path, cycle;
  std::function<bool(Stream &)> visit = [&](Stream &stream) {
    if (stream.queue.empty() || isDone[&stream])
      return false;
    auto known = std::ranges::find(path, &stream);
    if (known != path.end()) {
      cycle.assign(known, path.end());
      return true;
    }
    path.push_back(&stream);
    for (Stream *blocker : blockersOf(stream))
      if (visit(*blocker))
        return true;
    path.pop_back();
    isDone[&stream] = true;
    return false;
  };
  for (std::unique_ptr<Stream> &stream : streams)
    if (cycle.empty())
      visit(*stream);
  if (cycle.empty())
    return false;
  std::string text = "deadlock: ";
  for (Stream *stream : cycle)
    text += describe(stream->queue.front().epoch) + " of device " + std::to_string(stream->device) +
            " waits for ";
  text += "the first of these";
  for (Stream *stream : cycle)
    failLocked(stream->device, text);
  return true;
}

} // namespace sheaf::standin
