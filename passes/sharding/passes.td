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

def ShardingSetMeshPass : Pass<"sharding-set-mesh", "::mlir::ModuleOp"> {
  let summary = "Gives a module a mesh";
  let description = [{
    Every function argument gets an open sharding over it, so that the function is one of that many
    ranks even where nothing else is annotated.
    Requires: no mesh. Ensures: `dist.mesh @mesh`.
  }];
  let options = [ListOption<"axes", "axes", "std::string", "NAME=SIZE of each axis, major first">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingExposeDimsPass : Pass<"sharding-expose-dims", "::mlir::func::FuncOp"> {
  let summary = "Rewrites products so that what may be cut is a dim of its own";
  let description = [{
    Reshapes that merge dims move behind products and element-wise ops; a product of which only slices
    are used becomes products with slices of the weight.
    Requires: any. Ensures: what the function computes is the same.
  }];
  let options = [Option<"splitsProducts", "split-products", "bool", /*default=*/"true",
      "Whether products may be cut otherwise than by the batch, so that slices are products of their own">];
}

def ShardingApplyRulesPass : Pass<"sharding-apply-rules", "::mlir::ModuleOp"> {
  let summary = "Annotates tensors whose names match rules";
  let description = [{
    The file is YAML, a list of rules; the first whose regular expression matches somewhere in the name
    of a parameter, input, state, output or node counts:
    ```
    - {name: 'wte', axes: [[tensor], []]}        # one list of axes per dim; [] is whole
    - {name: 'input_ids', axes: [[data, _], _]}  # _ (or "?") leaves the dim, or what follows, open
    - {name: 'c_fc', columns: [tensor]}          # what a weight adds to the result of its product
    - {name: 'c_proj', rows: [tensor]}           # what a product sums over, a lookup selects from
    ```
    `glob: 'transformer.h.*.c_fc.weight'` instead of `name` matches all of the name. The text of
    such a list may stand for a file, behind FILE:LINE: if it was taken from one.
    Several files, or built-in sets, are as one that holds all their rules in order.
    Built-in sets (gpt2, bert, llama, mixtral, vit) leave out axes that the mesh lacks. What is
    annotated already stays.
    Requires: one mesh. Ensures: annotations only; what the function computes is the same.
  }];
  let options = [ListOption<"files", "file", "std::string",
      "Files of rules, or names of built-in sets, in order">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingStrategyPass : Pass<"sharding-strategy", "::mlir::ModuleOp"> {
  let summary = "Annotates a model by its structure";
  let description = [{
    dp cuts the batch along axis `data`; tp cuts heads, hidden dims and the vocabulary along axis
    `tensor`; sp cuts the sequence between products along axis `tensor`. What is annotated already
    stays. It is an error where nothing fits.
    Requires: one mesh. Ensures: annotations only; what the function computes is the same.
  }];
  let options = [ListOption<"strategy", "strategy", "std::string", "dp, tp, sp">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingApplyDeviceConfigurationPass :
    Pass<"sharding-apply-device-configuration", "::mlir::ModuleOp"> {
  let summary = "Annotates tensors as a device configuration of the model says";
  let description = [{
    Device configurations are those of ONNX (dialects/dist/device_configuration.h). A tensor lives where
    its node puts it, an argument where the first node that has a sharding for it wants it; a node that
    wants an operand elsewhere gets a `dist.constraint` of that use. Dims that are not listed are whole,
    tensors that are not listed open. What is annotated already stays.

    Devices are ranks. Their lists must be those of mesh axes, or parts of them, in some order; without a
    mesh, one is made that says them all, with as few axes as can be.
    Requires: at most one mesh. Ensures: annotations only; what the function computes is the same.
  }];
  let options = [Option<"name", "name", "std::string", /*default=*/"\"\"",
      "The name of the configuration">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingFindIdleAxesPass : Pass<"sharding-find-idle-axes", "::mlir::ModuleOp"> {
  let summary = "Warns of mesh axes that cut nothing";
  let description = [{
    Ranks along such an axis all compute the same. Axes named replica, replica2, .. are there for that.
    Requires: a sharding on every tensor (`--sharding-propagate`). Ensures: nothing changes.
  }];
}

def ShardingRecordDeviceConfigurationPass :
    Pass<"sharding-record-device-configuration", "::mlir::ModuleOp"> {
  let summary = "Writes where tensors live as a device configuration";
  let description = [{
    Of each tensor of the model that is left where it lives, and of nodes that want it elsewhere how. Open
    dims, priorities and partial values are left out. A configuration of the same name is replaced.
    Requires: a sharding on every tensor (`--sharding-propagate`). Ensures: only an attribute of the
    module changes.
  }];
  let options = [Option<"name", "name", "std::string", /*default=*/"\"\"",
      "The name of the configuration; that of the mesh by default: data=2,tensor=2">];
}

def ShardingGroupParametersPass : Pass<"sharding-group-parameters", "::mlir::func::FuncOp"> {
  let summary = "Finds the parameters that are needed together";
  let description = [{
    Parameters in the order of their first uses are a sequence; equal ones have equal types and are used by equal
    ops. Where it repeats are the model's blocks, each a group (`dist.group`), as is what lies before, between and
    behind them. Without blocks each matrix begins a group. Names don't count.
    Requires: any; the model as it is, before training. Ensures: every parameter has a group, numbered in the order
    of use.
  }];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

def ShardingStorePass : Pass<"sharding-store", "::mlir::ModuleOp"> {
  let summary = "Stores parameters, gradients and optimizer states in parts";
  let description = [{
    What `dist.mark` marks gets the constraints of a layout: ddp keeps everything whole along axis `data`, zero1 stores
    states in parts, zero2 gradients too, zero3 parameters too; hsdp is zero3 along axis `shard` with copies along
    `replica`. A stored parameter is gathered before its first use, and again for the backward pass unless it is kept.
    Requires: functions of `--training-build-step`, whose parameters have closed shardings. Ensures: no marks; what
    the functions compute is the same.
  }];
  let options = [
    Option<"layout", "layout", "std::string", "\"\"", "ddp, zero1, zero2, zero3 or hsdp; default: none">,
    Option<"keep", "keep", "bool", "false", "Keep gathered parameters for the backward pass">,
    Option<"defer", "defer", "bool", "false",
        "Combine gradients once per step, not of each micro-batch">,
    Option<"threshold", "threshold", "int64_t", "0", "Parameters of fewer elements stay whole">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
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
    where they come out, perhaps partial. What a loop only adds up is partial in it and combined behind it; what
    does not change in a loop goes before it.
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
    The sum of two reduced values is reduced once; a slice of an all_reduce is a reduce_scatter, of an
    all_gather its operand. What does not change in a loop goes before it.
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
