// What the ranks of a job decide together, so that none goes on alone.
#ifndef SHEAF_RUNTIME_LAUNCH_AGREEMENT_H
#define SHEAF_RUNTIME_LAUNCH_AGREEMENT_H

#include "runtime/core/communicator.h"

#include <string>
#include <type_traits>
#include <vector>

namespace sheaf::rt::launch {

/// Something that all ranks must have alike: what messages call it ("--seed"), and its value.
struct Fact {
  std::string what;
  std::string value;
};

/// All ranks of a job as one group. All call the same functions in the same order.
class Agreement {
public:
  /// `communicator` must outlive the result; null: this rank is alone. Made before any group of the executable.
  /// `hosts`: the name of that of each rank, to be told with its number; none: all are in one process.
  static Result<Agreement> create(Communicator *communicator,
                                  std::span<const std::string> hosts = {});

  int rank() const { return group ? group->index() : 0; }
  int size() const { return group ? group->size() : 1; }
  /// True when a rank could not be asked: what failed since then is not known to all.
  bool isBroken() const { return hasFailed; }

  /// Fails on every rank when it is called with a failure on any: with what failed there, and the ranks in front of it
  /// ("ranks 1, 3: can't open ..."); without them when it is the same on all.
  Status agree(Status own);

  /// Fails when the ranks do not all have the same `value`: names those that differ from the first.
  Status checkSame(std::span<const std::byte> value, std::string_view what);

  /// The same of several values, of which all ranks have as many. The error names all that differ.
  Status checkSame(std::span<const Fact> facts);

  /// Everybody's `own`, of the same size on all ranks, in the order of the ranks.
  template <typename T> Result<std::vector<T>> gather(std::span<const T> own) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(own.size() * static_cast<size_t>(size()));
    if (Status status = gatherBytes(own.data(), all.data(), own.size_bytes()); !status.isOk())
      return status;
    return all;
  }

private:
  Status gatherBytes(const void *own, void *all, size_t bytes);

  std::unique_ptr<Group> group; ///< null: alone
  std::span<const std::string> hosts;
  bool hasFailed = false;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_AGREEMENT_H
