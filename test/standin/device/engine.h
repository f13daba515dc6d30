// The devices of a process: their streams, and the worker that runs what lies in them.
#ifndef SHEAF_TEST_STANDIN_DEVICE_ENGINE_H
#define SHEAF_TEST_STANDIN_DEVICE_ENGINE_H

#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>

#include "test/standin/device/operation.h"

namespace sheaf::standin {

class Capture;

/// An ordered queue of operations.
struct Stream {
  uint32_t number = 0; ///< from 1, in the order of creation; also its place in clocks
  int device = 0;
  bool isBlocking = false; ///< ordered with the device's default stream
  bool isDestroyed = false;
  std::shared_ptr<Capture> capture; ///< into which its operations go, if any

private:
  friend class Engine;
  struct Entry {
    Operation operation;
    Epoch epoch;
    Clock clock;
    std::shared_ptr<Completion> completion;
  };
  std::deque<Entry> queue;
  bool isRunning = false; ///< its first entry runs
  Clock clock;            ///< of what is enqueued next
  std::shared_ptr<Completion> last;
  std::vector<const std::string *> names; ///< of its operations, by index - 1
};

/// Runs the operations of all streams, one at a time, in an order that respects what streams and events
/// say and is random beyond that. Functions may be called by any thread.
class Engine {
public:
  /// The one of this process. SHEAF_STANDIN_DEVICES says how many devices there are (8 if unset),
  /// SHEAF_STANDIN_SEED (1 if unset) chooses the order and delays; 0: as enqueued, without delays.
  static Engine &get();

  int numDevices() const { return deviceCount; }
  AddressSpace &addresses() { return space; }

  Stream &createStream(int device, bool isBlocking);
  /// What lies in it still runs.
  void destroyStream(Stream &stream);
  /// The legacy default stream.
  Stream &defaultStream(int device);
  /// Whether the handle is of a stream that is there.
  bool isStream(const Stream *stream);

  /// Returns once enqueued.
  std::shared_ptr<Completion> enqueue(Stream &stream, Operation operation);
  /// The end of all that lies in the stream now, without another operation; null if it was never used.
  std::shared_ptr<Completion> lastOf(Stream &stream);

  /// The host waits; what it enqueues later comes after. Counts as a host synchronization.
  void wait(const std::shared_ptr<Completion> &completion);
  void waitForStream(Stream &stream);
  void waitForDevice(int device);
  /// Whether it is done; if so the host knows.
  bool query(const std::shared_ptr<Completion> &completion);

  /// How often the host has waited for a device.
  uint64_t hostWaits() const;
  void countHostWait();
  /// How often the host has learnt, by waiting or asking, that a device is done with something, after it had put work
  /// there since the last time.
  uint64_t roundTrips() const;

  /// What has gone wrong on a device; empty if nothing has. Nothing runs there any more.
  std::string failureOf(int device);
  /// Notes a failure and prints it, with the prefix "standin: ", if it is the device's first.
  void fail(int device, const std::string &text);
  /// Forgets the failure of a device whose streams are empty.
  void reset(int device);

  /// Asks the worker to look again whether operations are ready.
  void wake() { changed.notify_one(); }
  uint64_t seed() const { return chosenSeed; }
  /// A random number, from the seed.
  uint64_t draw();

private:
  Engine();
  void work();
  Stream *choose(std::unique_lock<std::mutex> &lock);
  bool isReady(Stream &stream);
  void runNext(Stream &stream, std::unique_lock<std::mutex> &lock);
  void check(Stream &stream, const Stream::Entry &entry, const AccessLog &accesses);
  std::string describe(Epoch epoch);
  void failLocked(int device, const std::string &text);
  std::vector<Stream *> blockersOf(const Stream &stream);
  void waitFor(Completion &completion, std::unique_lock<std::mutex> &lock);
  bool breakDeadlock();
  void fence(Stream &stream, Stream::Entry &entry);
  const std::string *intern(const std::string &name);
  void learn(const Completion &completion);

  int deviceCount = 8;
  uint64_t chosenSeed = 1;
  AddressSpace space;

  mutable std::mutex mutex;
  std::condition_variable changed; ///< for the worker
  std::condition_variable ended;   ///< for hosts: something that one of them waits for
  std::mt19937_64 random;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<Stream *> defaults; ///< by device
  Clock hostClock;
  uint64_t numHostWaits = 0;
  uint64_t numRoundTrips = 0;
  std::vector<bool> hasNewWork;      ///< by device: since the host has last learnt of it
  std::vector<std::string> failures; ///< by device
  std::map<std::string, std::unique_ptr<std::string>> nameTable;
  Stream *favourite = nullptr; ///< runs on while `burst` lasts
  unsigned burst = 0;
};

} // namespace sheaf::standin

#endif
