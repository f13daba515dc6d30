// The passes on the graph before training and sharding: composites to primitives and back.
#ifndef SHEAF_PASSES_GRAPH_PASSES
#define SHEAF_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def GraphDecomposePass : Pass<"graph-decompose"> {
  let summary = "Replaces composite ops by primitive ones";
  let description = [{
    Each op with a decomposition is replaced by it, again and again, until only primitive ops and
    those in `keep`, or those not in `only`, are left.
    Requires: any. Ensures: no op with a decomposition but the kept ones.
  }];
  let options = [ListOption<"keep", "keep", "std::string",
      "Ops (softmax, attention, ..) and kinds of unary (gelu_erf, ..) to leave as they are">,
    ListOption<"only", "only", "std::string", "Replace these only; default: all">];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def GraphRaisePass : Pass<"graph-raise"> {
  let summary = "Recognizes composite ops that are spelled out in primitive ones";
  let description = [{
    Softmax, log_softmax, layer_norm, rms_norm, attention, rotary and the composite kinds of unary,
    as exporters write them. A match keeps the values but for rounding; README.md says where the
    line is drawn.
    Requires: any; canonical input raises best. Ensures: nothing that it does not find.
  }];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def GraphFeedInputsPass : Pass<"graph-feed-inputs", "::mlir::func::FuncOp"> {
  let summary = "Fills inputs by rule";
  let description = [{
    Each input that is named becomes a constant, or counts along its last dim: masks and positions that no data
    feeds. It is an error to name what is no input, or a number that its type does not hold.
    Requires: any. Ensures: the function has none of these inputs.
  }];
  let options = [ListOption<"feeds", "feeds", "std::string",
      "NAME=ones, zeros, arange (counts along the last dim) or a number">];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def GraphFoldBatchNormPass : Pass<"graph-fold-batch-norm"> {
  let summary = "Folds batch_norm after a convolution into the filter and a bias";
  let description = [{
    `batch_norm(conv(x, f) + b)` becomes `conv(x, f * g) + (b - mean) * g + bias` with
    `g = scale / sqrt(variance + epsilon)` per output channel. What depends on parameters alone is
    computed once, when the program is prepared.
    Requires: any. Ensures: no batch_norm of a convolution that has no other use.
  }];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

#endif
