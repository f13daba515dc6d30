// The passes that derive a training step from a model's graph.
#ifndef SHEAF_PASSES_TRAINING_PASSES
#define SHEAF_PASSES_TRAINING_PASSES

include "mlir/Pass/PassBase.td"

def TrainingDifferentiatePass : Pass<"training-differentiate", "::mlir::func::FuncOp"> {
  let summary = "Appends the gradients of a scalar result to the results of a function";
  let description = [{
    Each gradient is of its argument's type and is named after it (`w.grad`); an argument that the
    output does not depend on gets zeros. Gradients of a value with several uses are added up.
    Requires: one block; no loop between arguments and output (`--lowering-unroll-loops`).
    Ensures: nothing that is not used is left of what it builds. It is an error, and names each op,
    when ops on the way have no gradient.
  }];
  let options = [
    Option<"output", "output", "std::string", /*default=*/"\"\"",
        "Name or index of the result to differentiate: a float of one element; default: the only one">,
    ListOption<"arguments", "arguments", "std::string",
        "Names or indices of the arguments to differentiate by; default: all float parameters">];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

#endif
