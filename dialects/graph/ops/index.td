// Ops that move elements to or from places given by data. Negative indices count from the end; an index
// out of range is an error at run time that names the op.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_INDEX
#define SHEAF_DIALECTS_GRAPH_OPS_INDEX

include "dialects/graph/graph_attrs.td"

def Graph_GatherOp : Graph_InferredOp<"gather",
    [Differentiable, ShardingRule, PassesPartials, Localizes]> {
  let summary = "Takes slices along one dim";
  let description = [{
    `result = operand[:dim] ++ indices.shape[batchDims:] ++ operand[dim+1:]`; the first `batchDims`
    dims of operand and indices are walked together.
    (C1) `0 <= batchDims <= dim < rank(operand)`. (C2) batch extents are equal.
    ```mlir
    %y = graph.gather %table, %ids dim 0 batch 0 : tensor<100x8xf32>, tensor<2x4xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IndexTensor:$indices, Graph_IntAttr:$dim,
      Graph_IntAttr:$batchDims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `dim` $dim `batch` $batchDims attr-dict `:` type($operand) `,` type($indices)
  }];
  let hasFolder = 1;
}

def Graph_GatherElementsOp : Graph_InferredOp<"gather_elements",
    [Differentiable, ShardingRule, PassesPartials, Localizes]> {
  let summary = "Takes single elements along one dim";
  let description = [{
    `result[p] = operand[p with indices[p] at dim]`.
    (C1) equal ranks; `dim` is a dim. (C2) other extents of `indices` are at most the operand's.
    ```mlir
    %y = graph.gather_elements %x, %i dim 1 : tensor<4x8xf32>, tensor<4x2xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IndexTensor:$indices, Graph_IntAttr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `dim` $dim attr-dict `:` type($operand) `,` type($indices)";
  let hasFolder = 1;
}

def Graph_GatherNDOp : Graph_InferredOp<"gather_nd",
    [Differentiable, ShardingRule, PassesPartials, Localizes]> {
  let summary = "Takes slices at places given by index tuples";
  let description = [{
    The last dim of `indices` holds a tuple of the leading dims after the batch dims:
    `result = batch ++ indices.shape[batchDims:-1] ++ operand.shape[batchDims+tuple:]`.
    (C1) `batchDims` is less than both ranks; batch extents are equal. (C2) the tuple fits the rank.
    ```mlir
    %y = graph.gather_nd %x, %i batch 0 : tensor<4x8xf32>, tensor<3x2xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IndexTensor:$indices, Graph_IntAttr:$batchDims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `batch` $batchDims attr-dict `:` type($operand) `,` type($indices)
  }];
  let hasFolder = 1;
}

def Graph_ScatterElementsOp : Graph_InferredOp<"scatter_elements",
    [Differentiable, ShardingRule, PassesPartials, Localizes]> {
  let summary = "Writes single elements along one dim";
  let description = [{
    A copy of `operand` with `updates[p]` combined into place `p with indices[p] at dim`, in row-major
    order of the updates.
    (C1) equal ranks; `dim` is a dim; other extents of `indices` are at most the operand's.
    (C2) `updates` has the shape of `indices` and the operand's
    element type.
    ```mlir
    %y = graph.scatter_elements add %x, %i, %u dim 1
        : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Graph_ScatterKindAttr:$kind, Graph_Tensor:$operand,
      Graph_IndexTensor:$indices, Graph_Tensor:$updates, Graph_IntAttr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `,` $indices `,` $updates `dim` $dim attr-dict
    `:` type($operand) `,` type($indices) `,` type($updates)
  }];
}

def Graph_ScatterNDOp : Graph_InferredOp<"scatter_nd",
    [Differentiable, ShardingRule, PassesPartials, Localizes]> {
  let summary = "Writes slices at places given by index tuples";
  let description = [{
    A copy of `operand` with slices of `updates` combined in, in row-major order of the updates.
    (C1) the tuple (last dim of `indices`) fits the operand's rank. (C2) `updates` has the shape
    `indices.shape[:-1] ++ operand.shape[tuple:]` and the operand's element type.
    ```mlir
    %y = graph.scatter_nd set %x, %i, %u : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_ScatterKindAttr:$kind, Graph_Tensor:$operand,
      Graph_IndexTensor:$indices, Graph_Tensor:$updates);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `,` $indices `,` $updates attr-dict
    `:` type($operand) `,` type($indices) `,` type($updates)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif
