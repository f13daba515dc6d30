// What the members of a group must agree on when they call a collective, and how it is told when they don't.
#ifndef SHEAF_RUNTIME_COMM_CALL_H
#define SHEAF_RUNTIME_COMM_CALL_H

#include "runtime/core/communicator.h"

#include <string>
#include <vector>

namespace sheaf::rt::comm {

enum class CallKind : uint8_t { allReduce, allGather, reduceScatter, allToAll, permute, exchange };

/// One member's call. Plain bytes: it is sent as it lies in memory.
struct Call {
  CallKind kind;
  abi::ElementType type; ///< of reductions
  CombineKind combine;   ///< of reductions
  uint64_t
      count; ///< elements of reductions, else bytes: of a block where there are blocks; of all tensors
  uint64_t numTensors;
  uint64_t shapeHash; ///< the size of each tensor; who sends to whom, of permute and exchange
  char location[64];  ///< the user's node, cut off

  static Call joint(CallKind kind, const CollectiveSite &site,
                    std::span<const CollectiveBuffer> buffers);
  static Call reduction(CallKind kind, const CollectiveSite &site,
                        std::span<const CollectiveBuffer> buffers, abi::ElementType type,
                        CombineKind combine);
  static Call move(CallKind kind, const CollectiveSite &site, size_t bytes,
                   std::span<const int> sources = {});
  /// `count` is the bytes of all transfers.
  static Call exchange(const CollectiveSite &site, std::span<const Transfer> transfers);

  /// "all_reduce (sum of 16 f32)", "all_gather (96 bytes in 3 tensors)".
  std::string str() const;
  /// The same with the user's node.
  std::string strWithNode() const;
};

/// Whether two members' calls belong together. They may stand at different nodes.
bool isSameCall(const Call &a, const Call &b);

/// Fails with the same text on every member when `calls`, one per member, are not the same call; `ranks` are the
/// members.
Status checkAgreement(std::span<const Call> calls, std::span<const int> ranks);

/// "all_reduce of node "x"".
std::string siteText(const CollectiveSite &site);

/// "rank 3" or "ranks 0, 1, 2"; with the host of each rank of the job in `hosts`: "ranks 0, 1 (host a), 2 (host b)". Of
/// many ranks the first ones.
std::string ranksText(std::span<const int> ranks, std::span<const std::string> hosts = {});

/// "rank 3 did not come within 5 s; ranks 0, 1, 2 wait"; with `site` in front.
std::string lateText(const CollectiveSite &site, std::span<const int> late,
                     std::span<const int> waiting, int timeoutMs,
                     std::span<const std::string> hosts = {});

/// Why member `sources` can't be where `size` members receive from; ok when they can.
Status checkSources(std::span<const int> sources, int size);

/// Why `transfers` can't be between `size` members; ok when they can.
Status checkTransfers(std::span<const Transfer> transfers, int size);

/// Fails unless `ranks` are different ones among `numRanks` and `rank` is one of them.
Status checkMembers(std::span<const int> ranks, int rank, int numRanks);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_CALL_H
