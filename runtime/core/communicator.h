// What a program asks of the ranks it runs beside: groups and the collectives of a group.
#ifndef SHEAF_RUNTIME_CORE_COMMUNICATOR_H
#define SHEAF_RUNTIME_CORE_COMMUNICATOR_H

#include "runtime/abi/element_type.h"
#include "runtime/core/status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sheaf::rt {

/// How partial values combine.
enum class CombineKind { sum, max, min, mean };

/// What a collective is for: it is named when the collective fails or stalls.
struct CollectiveSite {
  std::string_view name;     ///< the call, e.g. "all_reduce"
  std::string_view location; ///< the user's node
};

/// Bytes that a member sends to another, or keeps.
struct Transfer {
  int from, to;                ///< members
  size_t fromOffset, toOffset; ///< in `in` of one and in `out` of the other
  size_t bytes;
};

/// A tensor of a collective, as one member has it.
struct CollectiveBuffer {
  const void *in;
  void *out;
  size_t size; ///< elements of reductions, else bytes: of a block where there are blocks
};

/// Ranks that communicate, in an order. All members call the same collectives in the same order, one at a time. With
/// memory of the process a call returns when `out` is complete and `in` may be written again; with memory of another
/// device it puts that into the group's stream.
///
/// Errors: a member that did not come in time, or that failed, is named; every later call of any group fails too.
class Group {
public:
  virtual ~Group() = default;

  /// This member's place, 0 to size() - 1.
  virtual int index() const = 0;
  virtual int size() const = 0;

  // The collectives of several tensors give each what a call of its own would, to the bit, and cost one meeting of the
  // members. All members give as many buffers of the same sizes in the same order; none overlaps an out of another.

  /// out[i] = the combination of every member's in[i]; an `in` may be its `out`. Every member gets the same bits.
  virtual Status allReduce(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                           abi::ElementType type, CombineKind kind) = 0;

  /// Member m's `in` becomes block m of everybody's `out`; an `out` has size() blocks.
  virtual Status allGather(const CollectiveSite &site,
                           std::span<const CollectiveBuffer> buffers) = 0;

  /// Member m gets the combination of every member's block m; an `in` has size() blocks.
  virtual Status reduceScatter(const CollectiveSite &site,
                               std::span<const CollectiveBuffer> buffers, abi::ElementType type,
                               CombineKind kind) = 0;

  // The same of one tensor.
  Status allReduce(const CollectiveSite &site, const void *in, void *out, size_t count,
                   abi::ElementType type, CombineKind kind) {
    CollectiveBuffer buffer{in, out, count};
    return allReduce(site, {&buffer, 1}, type, kind);
  }
  Status allGather(const CollectiveSite &site, const void *in, void *out, size_t blockBytes) {
    CollectiveBuffer buffer{in, out, blockBytes};
    return allGather(site, {&buffer, 1});
  }
  Status reduceScatter(const CollectiveSite &site, const void *in, void *out, size_t blockCount,
                       abi::ElementType type, CombineKind kind) {
    CollectiveBuffer buffer{in, out, blockCount};
    return reduceScatter(site, {&buffer, 1}, type, kind);
  }

  /// Block m of member k's `in` becomes block k of member m's `out`.
  virtual Status allToAll(const CollectiveSite &site, const void *in, void *out,
                          size_t blockBytes) = 0;

  /// Sends `in` to each member whose source is this one and receives `out` from member `sources[own]`; `out` is
  /// zeros where that is -1.
  virtual Status permute(const CollectiveSite &site, const void *in, void *out, size_t bytes,
                         std::span<const int> sources) = 0;

  /// Copies each transfer's bytes from the one's `in` to the other's `out`. All members give the same list; what it
  /// puts in an `out` does not overlap. Members that no transfer is between exchange nothing but their calls.
  virtual Status exchange(const CollectiveSite &site, const void *in, void *out,
                          std::span<const Transfer> transfers) = 0;
};

/// One rank among all.
class Communicator {
public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// How long a rank waits for another; 0: for ever.
  virtual int timeoutMs() const = 0;

  /// A group of `ranks`, which hold this one; member i is ranks[i]. Every rank in it calls this, in the same order of
  /// groups. Groups of several streams of a program are different ones even when their members are the same.
  virtual Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks,
                                                   uint32_t stream = 0) = 0;

  /// Tells all ranks that this one failed for `reason`: their calls, waiting and later ones, fail and name it. May end
  /// the process where that is how ranks are stopped.
  virtual void abort(const Status &reason) = 0;

  /// The failure that a rank has told of, when this one knows: for those who wait for something else than a group.
  virtual Status failure() const = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_COMMUNICATOR_H
