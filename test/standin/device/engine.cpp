// Keeps the streams and what hosts and devices know of each other.
#include "test/standin/device/engine.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "test/standin/device/shadow.h"

namespace sheaf::standin {

static uint64_t numberFrom(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Engine &Engine::get() {
  // Never destroyed: its worker runs until the process ends.
  static Engine *engine = new Engine;
  return *engine;
}

Engine::Engine()
    : deviceCount(static_cast<int>(numberFrom("SHEAF_STANDIN_DEVICES", 8))),
      chosenSeed(numberFrom("SHEAF_STANDIN_SEED", 1)), random(chosenSeed),
      hasNewWork(static_cast<size_t>(deviceCount)), failures(static_cast<size_t>(deviceCount)) {
  for (int device = 0; device < deviceCount; ++device)
    defaults.push_back(&createStream(device, true));
  std::thread([this] { work(); }).detach();
}

Stream &Engine::createStream(int device, bool isBlocking) {
  std::lock_guard lock(mutex);
  streams.push_back(std::make_unique<Stream>());
  Stream &stream = *streams.back();
  stream.number = static_cast<uint32_t>(streams.size());
  stream.device = device;
  stream.isBlocking = isBlocking;
  return stream;
}

void Engine::destroyStream(Stream &stream) {
  std::lock_guard lock(mutex);
  stream.isDestroyed = true;
}

Stream &Engine::defaultStream(int device) { return *defaults[static_cast<size_t>(device)]; }

bool Engine::isStream(const Stream *stream) {
  std::lock_guard lock(mutex);
  return std::ranges::any_of(streams, [&](auto &known) { return known.get() == stream; }) &&
         !stream->isDestroyed;
}

const std::string *Engine::intern(const std::string &name) {
  std::unique_ptr<std::string> &known = nameTable[name];
  if (!known)
    known = std::make_unique<std::string>(name);
  return known.get();
}

/// The default stream waits for blocking streams, and they for it.
void Engine::fence(Stream &stream, Stream::Entry &entry) {
  if (!stream.isBlocking)
    return;
  Stream *standard = defaults.empty() ? nullptr : defaults[static_cast<size_t>(stream.device)];
  for (std::unique_ptr<Stream> &other : streams) {
    bool isOrdered = other->device == stream.device && other->isBlocking &&
                     other.get() != &stream && (&stream == standard || other.get() == standard);
    if (isOrdered && other->last) {
      entry.operation.waits.push_back(other->last);
      stream.clock.join(other->last->clock);
    }
  }
}

std::shared_ptr<Completion> Engine::enqueue(Stream &stream, Operation operation) {
  std::lock_guard lock(mutex);
  Stream::Entry entry;
  entry.operation = std::move(operation);
  fence(stream, entry);
  stream.clock.join(hostClock);
  for (const std::shared_ptr<Completion> &wait : entry.operation.waits)
    stream.clock.join(wait->clock);
  stream.names.push_back(intern(entry.operation.name));
  entry.epoch = {stream.number, stream.names.size()};
  stream.clock.reach(entry.epoch);
  entry.clock = stream.clock;
  entry.completion = stream.last = std::make_shared<Completion>();
  entry.completion->clock = stream.clock;
  entry.completion->stream = &stream;
  if (entry.operation.isWork)
    hasNewWork[static_cast<size_t>(stream.device)] = true;
  stream.queue.push_back(std::move(entry));
  changed.notify_one();
  return stream.last;
}

std::shared_ptr<Completion> Engine::lastOf(Stream &stream) {
  std::lock_guard lock(mutex);
  return stream.last;
}

void Engine::wait(const std::shared_ptr<Completion> &completion) {
  std::unique_lock lock(mutex);
  ++numHostWaits;
  if (completion)
    waitFor(*completion, lock);
}

void Engine::waitFor(Completion &completion, std::unique_lock<std::mutex> &lock) {
  completion.isAwaited = true;
  ended.wait(lock, [&] { return completion.isDone; });
  learn(completion);
}

/// The host knows of it.
void Engine::learn(const Completion &completion) {
  if (hostClock.covers(completion.clock))
    return;
  hostClock.join(completion.clock);
  std::vector<bool>::reference isNew = hasNewWork[static_cast<size_t>(completion.stream->device)];
  numRoundTrips += isNew;
  isNew = false;
}

void Engine::waitForStream(Stream &stream) { wait(lastOf(stream)); }

void Engine::waitForDevice(int device) {
  std::unique_lock lock(mutex);
  ++numHostWaits;
  std::vector<std::shared_ptr<Completion>> ends;
  for (std::unique_ptr<Stream> &stream : streams)
    if (stream->device == device && stream->last)
      ends.push_back(stream->last);
  for (const std::shared_ptr<Completion> &end : ends)
    waitFor(*end, lock);
}

bool Engine::query(const std::shared_ptr<Completion> &completion) {
  std::lock_guard lock(mutex);
  if (!completion)
    return true;
  if (completion->isDone)
    learn(*completion);
  return completion->isDone;
}

uint64_t Engine::hostWaits() const {
  std::lock_guard lock(mutex);
  return numHostWaits;
}

uint64_t Engine::roundTrips() const {
  std::lock_guard lock(mutex);
  return numRoundTrips;
}

void Engine::countHostWait() {
  std::lock_guard lock(mutex);
  ++numHostWaits;
}

std::string Engine::failureOf(int device) {
  std::lock_guard lock(mutex);
  return failures[static_cast<size_t>(device)];
}

void Engine::fail(int device, const std::string &text) {
  std::lock_guard lock(mutex);
  failLocked(device, text);
}

void Engine::failLocked(int device, const std::string &text) {
  std::string &failure = failures[static_cast<size_t>(device)];
  if (!failure.empty())
    return;
  failure = text;
  std::fprintf(stderr, "standin: device %d: %s\n", device, text.c_str());
}

void Engine::reset(int device) {
  waitForDevice(device);
  std::lock_guard lock(mutex);
  failures[static_cast<size_t>(device)].clear();
}

uint64_t Engine::draw() {
  std::lock_guard lock(mutex);
  return random();
}

} // namespace sheaf::standin
