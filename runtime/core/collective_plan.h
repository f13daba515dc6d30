// The calls of runtime/abi/collectives.h as every device binds them: what moves between ranks, and how tensors are cut
// for that.
#ifndef SHEAF_RUNTIME_CORE_COLLECTIVE_PLAN_H
#define SHEAF_RUNTIME_CORE_COLLECTIVE_PLAN_H

#include "runtime/core/block_layout.h"
#include "runtime/core/collective.h"

namespace sheaf::rt {

/// in and out have the same dims.
struct AllReducePlan {
  static Result<AllReducePlan> bind(CallSite &site);

  Collective collective;
  CombineKind kind;
};

/// The blocks of out: those of each rank's in.
struct AllGatherPlan {
  static Result<AllGatherPlan> bind(CallSite &site);

  Collective collective;
  BlockLayout blocks;
};

/// The blocks of in: each rank's out is the combination of one.
struct ReduceScatterPlan {
  static Result<ReduceScatterPlan> bind(CallSite &site);

  Collective collective;
  CombineKind kind;
  BlockLayout blocks;
};

/// What is sent, blocks of in, and received, of out: each [the gather dim of in, the split dim of out, the rest].
struct AllToAllPlan {
  static Result<AllToAllPlan> bind(CallSite &site);

  Collective collective;
  BlockLayout sent, received;
};

/// Every rank gets the value of `sources[own rank]`, or zeros where that is -1.
struct PermutePlan {
  static Result<PermutePlan> bind(CallSite &site);

  Collective collective;
  std::vector<int> sources;
};

/// This rank's block of in, which is out.
struct ShardSlicePlan {
  static Result<ShardSlicePlan> bind(CallSite &site);

  BlockLayout block;
};

/// This rank's place among those that hold the parts of a value; out is i64[].
Result<int64_t> readShardIndex(CallSite &site);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_COLLECTIVE_PLAN_H
