// Ops that only move elements.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_MOVEMENT
#define SHEAF_DIALECTS_GRAPH_OPS_MOVEMENT

include "dialects/graph/graph_attrs.td"

def Graph_ReshapeOp : Graph_Op<"reshape",
    [Differentiable, EmitsAligned, ShardingRule, PassesPartials]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    (C1) operand and result have the same element type and number of elements.
    ```mlir
    %y = graph.reshape %x : tensor<4x8xf32> -> tensor<2x2x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Graph_TransposeOp : Graph_InferredOp<"transpose",
    [Differentiable, ShardingRule, PassesPartials]> {
  let summary = "Permutes dims";
  let description = [{
    Dim `i` of the result is dim `permutation[i]` of the operand.
    (C1) `permutation` is a permutation of the operand's dims.
    ```mlir
    %y = graph.transpose %x by [1, 0] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `by` $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_BroadcastOp : Graph_Op<"broadcast",
    [Differentiable, EmitsAligned, ShardingRule, PassesPartials]> {
  let summary = "Repeats a tensor along new or one-sized dims";
  let description = [{
    Dim `i` of the operand is dim `dims[i]` of the result.
    (C1) `dims` has one entry per operand dim, ascending, each a dim of the result.
    (C2) an operand extent is 1 or that of the result.
    (C3) the element types are equal.
    ```mlir
    %y = graph.broadcast %x to [1] : tensor<8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `to` $dims attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Graph_SliceOp : Graph_InferredOp<"slice",
    [Differentiable, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "A box of a tensor, with strides";
  let description = [{
    Takes `starts[i], starts[i] + strides[i], ..` below `limits[i]` in each dim.
    (C1) one entry per dim; `0 <= start <= limit <= extent`, stride positive.
    ```mlir
    %y = graph.slice %x from [0, 2] to [4, 8] by [1, 2] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
      DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `from` $starts `to` $limits `by` $strides attr-dict `:` type($operand)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_PadOp : Graph_InferredOp<"pad",
    [Differentiable, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Surrounds a tensor with one value";
  let description = [{
    `value` is a tensor of rank 0.
    (C1) `low` and `high` have one entry per dim, none negative.
    (C2) `value` has the operand's element type.
    ```mlir
    %y = graph.pad %x, %v low [0, 1] high [0, 1] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$value, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $value `low` $low `high` $high attr-dict `:` type($operand) `,` type($value)
  }];
  let hasFolder = 1;
}

def Graph_ConcatOp : Graph_InferredOp<"concat",
    [Differentiable, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Puts tensors one after another along a dim";
  let description = [{
    (C1) `dim` is a dim of the operands. (C2) all other extents and the element types are equal.
    (C3) there is at least one operand.
    ```mlir
    %y = graph.concat %a, %b dim 1 : tensor<4x8xf32>, tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands, Graph_IntAttr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operands `dim` $dim attr-dict `:` type($operands)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_ReverseOp : Graph_Op<"reverse",
    [Differentiable, SameOperandsAndResultType, ShardingRule, PassesPartials, ReadsWindows,
    Localizes]> {
  let summary = "Reverses the order along dims";
  let description = [{
    (C1) `dims` are distinct dims of the operand.
    ```mlir
    %y = graph.reverse %x dims [0] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($operand)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
