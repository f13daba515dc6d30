// Ops with regions: the loop and the cluster.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_STRUCTURE
#define SHEAF_DIALECTS_GRAPH_OPS_STRUCTURE

include "dialects/graph/graph_attrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Graph_YieldOp : Graph_Op<"yield",
    [Terminator, ReturnLike, ParentOneOf<["LoopOp", "ClusterOp"]>]> {
  let summary = "Ends a region with its values";
  let description = [{
    ```mlir
    graph.yield %a : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

def Graph_LoopOp : Graph_Op<"loop",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getRegionIterArgs", "getYieldedValuesMutable",
    "getLoopResults"]>]> {
  let summary = "Repeats its body a known number of times";
  let description = [{
    The body takes the index of the trip (a rank-0 i64 tensor), then the carried values, and yields
    the next ones; it may use values from outside.
    (C1) `tripCount` is not negative. (C2) operands, body arguments, yielded values and results agree.
    ```mlir
    %r = graph.loop 4(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
      %b = graph.binary add %a, %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_IntAttr:$tripCount, Variadic<Graph_Tensor>:$inits);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    $tripCount `(` $inits `)` `:` functional-type(operands, results) $body attr-dict
  }];
  let extraClassDeclaration = "::mlir::Block *getBodyBlock() { return &getBody().front(); }";
  let hasVerifier = 1;
}

def Graph_ClusterOp : Graph_Op<"cluster",
    [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A group of ops that becomes one generated kernel";
  let description = [{
    All ops in the body walk one iteration space, the common refinement of their shapes: a dim of a
    value is one or more dims of the space, and a value that lacks one is the same along it. The
    dims that reductions combine are the *columns*, all others the *rows*.
    (C1) operands and body arguments, results and yielded values agree.
    (C2) every op in the body emits or combines vectors; constants are splats.
    (C3) every element type has a compute type: no floats of 8 bits or less, no integers of less
    than 8, but booleans.
    (C4) the ops have a common iteration space, and all reductions combine the same dims of it.
    (C5) a result has all rows of the space, and either all columns or none.
    ```mlir
    %y = graph.cluster(%x) : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4x8xf32>):
      %b = graph.unary exp %a : tensor<4x8xf32>
      %c = graph.reduce sum %b over [1] : tensor<4x8xf32>
      graph.yield %c : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    `(` $operands `)` `:` functional-type($operands, results) $body attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// The space that the body walks; a cluster that verifies has one.
    ::mlir::FailureOr<::sheaf::IterationSpace> getIterationSpace();
  }];
  let hasRegionVerifier = 1;
}

#endif
