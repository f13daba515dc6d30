// Ops that combine the elements along dims: reductions, running combinations, order.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_REDUCE
#define SHEAF_DIALECTS_GRAPH_OPS_REDUCE

include "dialects/graph/graph_attrs.td"

def Graph_ReduceOp : Graph_InferredOp<"reduce",
    [Differentiable, CombinesAligned, ShardingRule, PassesPartials, HasCost]> {
  let summary = "Combines the elements along dims";
  let description = [{
    The reduced dims vanish. 16-bit floats are combined in f32. Empty: `sum` and `any` are 0, `prod`
    and `all` 1, `max` and `min` the lowest and highest value of the type (infinities for floats).
    `max` and `min` give NaN when an element is NaN.
    (C1) `dims` are distinct, ascending dims of the operand.
    (C2) `any` and `all` take booleans.
    ```mlir
    %s = graph.reduce sum %x over [1] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $operand `over` $dims attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Graph_ArgReduceOp : Graph_InferredOp<"arg_reduce", [StopsGradient, ShardingRule]> {
  let summary = "Where the largest or smallest element of a dim is";
  let description = [{
    i64 index along `dim`, which vanishes; the first of equals, or the last with `last`. A NaN counts
    as the extreme.
    (C1) `kind` is `max` or `min`. (C2) `dim` is a dim of the operand with a positive extent.
    ```mlir
    %i = graph.arg_reduce max %x dim 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, Graph_IntAttr:$dim,
      UnitAttr:$last);
  let results = (outs Graph_IndexTensor:$result);
  let assemblyFormat = "$kind $operand `dim` $dim attr-dict `:` type($operand)";
}

def Graph_CumulativeOp : Graph_Op<"cumulative",
    [Differentiable, SameOperandsAndResultType, ShardingRule, PassesPartials]> {
  let summary = "Running sum or product along a dim";
  let description = [{
    `result[i] = combine of operand[0..i]`, without element `i` when `exclusive`, from the end when
    `reverse`.
    (C1) `kind` is `sum` or `prod`. (C2) `dim` is a dim of the operand.
    ```mlir
    %y = graph.cumulative sum %x dim 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, Graph_IntAttr:$dim,
      UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $operand `dim` $dim attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Graph_SortOp : Graph_InferredOp<"sort", [Differentiable, ShardingRule]> {
  let summary = "Sorts along a dim, stably";
  let description = [{
    `indices` (i64) are the places of the sorted elements in the operand; NaN sorts as the largest.
    (C1) `dim` is a dim of the operand.
    ```mlir
    %v, %i = graph.sort %x dim 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IntAttr:$dim, UnitAttr:$descending);
  let results = (outs Graph_Tensor:$values, Graph_IndexTensor:$indices);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($operand)";
}

def Graph_TopKOp : Graph_InferredOp<"topk", [Differentiable, ShardingRule]> {
  let summary = "The k largest or smallest elements along a dim";
  let description = [{
    In order of size, equals by place. `indices` are i64.
    (C1) `dim` is a dim of the operand, `k` at most its extent and not negative.
    ```mlir
    %v, %i = graph.topk %x dim 1 k 3 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IntAttr:$dim, Graph_IntAttr:$k, UnitAttr:$smallest);
  let results = (outs Graph_Tensor:$values, Graph_IndexTensor:$indices);
  let assemblyFormat = "$operand `dim` $dim `k` $k attr-dict `:` type($operand)";
}

#endif
