// The calls of runtime/abi/collectives.h as every device binds them: what moves between ranks, and how tensors are cut
// for that.
#ifndef SHEAF_RUNTIME_CORE_COLLECTIVE_PLAN_H
#define SHEAF_RUNTIME_CORE_COLLECTIVE_PLAN_H

#include "runtime/core/cut_tensors.h"

namespace sheaf::rt {

/// Each out has the dims of its in.
struct AllReducePlan {
  static Result<AllReducePlan> bind(CallSite &site);

  Collective collective;
  CombineKind kind;
};

/// The outs, in blocks: those of each rank's ins.
struct AllGatherPlan {
  static Result<AllGatherPlan> bind(CallSite &site);

  Collective collective;
  CutTensors tensors;
};

/// The ins, in blocks: each rank's outs are the combination of one.
struct ReduceScatterPlan {
  static Result<ReduceScatterPlan> bind(CallSite &site);

  Collective collective;
  CombineKind kind;
  CutTensors tensors;
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
