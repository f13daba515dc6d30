// What the calls of runtime/abi/collectives.h have in common: the ranks they concern and how they reach them.
#ifndef SHEAF_RUNTIME_CORE_COLLECTIVE_H
#define SHEAF_RUNTIME_CORE_COLLECTIVE_H

#include "runtime/abi/shard.h"
#include "runtime/abi/traffic.h"
#include "runtime/core/device.h"

namespace sheaf::rt {

/// The parameter "axes" of a call, for this rank.
struct RankAxes {
  std::vector<AxisPart> parts;
  int64_t size = 1;  ///< ranks that differ in the parts only
  int64_t index = 0; ///< of this rank among them

  /// The part of a dim of `extent` elements that each of these ranks has.
  std::vector<abi::Shard> shards(int64_t extent) const;
};

Result<RankAxes> readAxes(CallSite &site);

/// Where along a dim of `extent` elements each of these ranks' blocks of `block` elements goes, cut off at the extent.
/// Errors: there are too few of them, or `block` is not what the parts of `axes` cut the dim into; of one part it may
/// be more.
Result<std::vector<abi::Shard>> gatheredShards(const RankAxes &axes, int64_t extent, int64_t block);

/// Checks that `block` is the room of each of `shards`, which are parts of one dim.
Status checkBlock(const std::vector<abi::Shard> &shards, int64_t block);

/// Checks that `a` and `b` have equal types and, but for the dims of `except`, equal extents.
Status checkSameBut(const BufferShape &a, const BufferShape &b,
                    std::initializer_list<int64_t> except);

/// Checks that the tensors that a collective takes have one element type; there is one.
Status checkOneType(const std::vector<Operand> &tensors);

/// The parameter "kind" of a reduction. Errors: elements of `type` don't combine so.
Result<CombineKind> readCombineKind(CallSite &site, abi::ElementType type);

/// A group of ranks, as a bound call uses it.
class Collective {
public:
  /// `traffic` is what each run moves. The group is made now; the executable must outlive the result.
  static Result<Collective> bind(const CallSite &site, const RankAxes &axes,
                                 const abi::Traffic &traffic);
  /// Of all ranks of the mesh.
  static Result<Collective> bindAll(const CallSite &site, const abi::Traffic &traffic);

  /// True when there is nobody to talk to; `run` must not be called then.
  bool isAlone() const { return !group; }

  /// Runs `call(group, site)`, which returns a Status, and counts what it moved.
  template <typename Call> Status run(const Call &call) const {
    Status status = enqueue(call);
    if (status.isOk())
      count();
    return status;
  }
  /// The two parts of `run`, for devices that repeat what they were given once.
  template <typename Call> Status enqueue(const Call &call) const {
    return call(*group, CollectiveSite{name, location});
  }
  void count() const { place->count(ledgerLine, traffic); }

private:
  Collective(const CallSite &site, Group *group, std::string_view axes,
             const abi::Traffic &traffic);

  Group *group;
  Place *place;
  std::string_view name, location;
  size_t ledgerLine = 0;
  abi::Traffic traffic;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_COLLECTIVE_H
