// What streams hold: operations, and what is known of them once they are done.
#ifndef SHEAF_TEST_STANDIN_DEVICE_OPERATION_H
#define SHEAF_TEST_STANDIN_DEVICE_OPERATION_H

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "test/standin/device/access_log.h"
#include "test/standin/device/address_space.h"
#include "test/standin/device/clock.h"

namespace sheaf::standin {

class Engine;
struct Stream;

/// What an operation did wrong; ends it and makes its device useless.
struct OperationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The end of an operation, which others may wait for.
struct Completion {
  const Stream *stream = nullptr;
  bool isDone = false;
  bool isAwaited = false; ///< by a host
  Clock clock;            ///< of the operation, itself included
  std::chrono::steady_clock::time_point time;
};

class Execution;

struct Operation {
  Operation() = default;
  explicit Operation(std::string name, std::function<void(Execution &)> run = {},
                     std::vector<std::shared_ptr<Completion>> waits = {})
      : name(std::move(name)), run(std::move(run)), waits(std::move(waits)) {}

  std::string name;
  std::function<void(Execution &)> run; ///< may be empty; a graph runs it again and again
  bool isWork = true;                   ///< not a copy from or to the host, nor for order only
  /// Asked while the operation is the next of its stream; it is left waiting while this is false. Never
  /// set: always ready.
  std::function<bool()> isReady;
  std::vector<std::shared_ptr<Completion>> waits;
  /// Names of what operations elsewhere wait for and this one will bring, and of what this one waits for
  /// while it is not ready: so deadlocks are found.
  std::vector<std::string> brings;
  std::function<std::vector<std::string>()> lacks;
};

/// What is there for order only: events and the like.
inline Operation idle(Operation operation) {
  operation.isWork = false;
  return operation;
}

/// An operation's view of memory while it runs: finds and checks what it accesses.
class Execution {
public:
  explicit Execution(AddressSpace &addresses) : addresses(addresses) {}

  /// The bytes at `address`, all within one allocation, in this process. Throws OperationError. Reads and
  /// writes are checked against those of other operations when this one ends.
  const std::byte *read(const void *address, uint64_t bytes) {
    return access(address, bytes, false);
  }
  std::byte *write(const void *address, uint64_t bytes) { return access(address, bytes, true); }

  /// The allocation at `address`. Throws OperationError.
  std::shared_ptr<Allocation> find(uint64_t address, uint64_t bytes);
  AccessLog &log() { return accesses; }

private:
  friend class Engine;
  std::byte *access(const void *address, uint64_t bytes, bool isWrite);

  AddressSpace &addresses;
  AccessLog accesses;
};

} // namespace sheaf::standin

#endif
