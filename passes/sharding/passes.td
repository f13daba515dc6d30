// The passes that decide where tensors live and make programs local.
#ifndef SHEAF_PASSES_SHARDING_PASSES
#define SHEAF_PASSES_SHARDING_PASSES

include "mlir/Pass/PassBase.td"

def ShardingAnnotatePass : Pass<"sharding-annotate"> {
  let summary = "Writes each op's sharding rule on the op";
  let description = [{
    For reading and for tests; nothing reads the attribute.
    Requires: any. Ensures: every op with a rule carries `sharding.rule`.
  }];
  let options = [Option<"strict", "strict", "bool", /*default=*/"false",
      "Fail on a tensor-producing op that has no rule">];
}

def ShardingPropagatePass : Pass<"sharding-propagate", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor a sharding, from those that are given";
  let description = [{
    Given shardings are `dist.sharding` of function arguments and results, `dist.shardings` of ops and
    `dist.constraint`. They pass along the factors of each op (`dist.blocked` on an op names factors
    that pass nothing), through loops and barriers; README.md says in which order.
    Requires: any. Ensures: in functions with a sharding, every tensor has one.
  }];
  let options = [Option<"explain", "explain", "bool", /*default=*/"false",
      "Remark for each sharded tensor where its axes came from">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingInsertReshardsPass : Pass<"sharding-insert-reshards", "::mlir::ModuleOp"> {
  let summary = "Makes operands and results agree with the rule of each op";
  let description = [{
    Every op gets a placement: how its factors are cut. Where a value is elsewhere, a `dist.reshard`
    brings it there. Constraints and barriers go. What an op's results carry in `dist.shardings` is
    where they come out, perhaps partial.
    Requires: a sharding on every tensor (`--sharding-propagate`). Ensures: each op can be computed on
    blocks; only `dist.reshard` moves values.
  }];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingPartitionPass : Pass<"sharding-partition", "::mlir::ModuleOp"> {
  let summary = "Turns tensors into the blocks of one rank, reshards into collectives";
  let description = [{
    Requires: `--sharding-insert-reshards`. Ensures: types are those of blocks; `dist.whole` on arguments
    and results is the type that they had; no shardings on ops.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false",
      "Remark for each reshard what it moves and why">];
  let dependentDialects = ["::sheaf::dist::DistDialect", "::sheaf::graph::GraphDialect"];
}

def ShardingSimplifyPass : Pass<"sharding-simplify", "::mlir::func::FuncOp"> {
  let summary = "Drops needless collectives and joins reductions";
  let description = [{
    The sum of two all_reduced values is all_reduced once; a slice of an all_reduce is a reduce_scatter, of
    an all_gather its operand.
    Requires: partitioned functions. Ensures: what each rank sends is no more than before.
  }];
  let dependentDialects = ["::sheaf::dist::DistDialect", "::sheaf::graph::GraphDialect"];
}

def ShardingStripPass : Pass<"sharding-strip", "::mlir::ModuleOp"> {
  let summary = "Removes meshes and shardings";
  let description = [{
    What is left is what one device computes: sharding changes where values are, never what they are.
    Requires: not partitioned. Ensures: nothing of the dist dialect.
  }];
}

#endif
