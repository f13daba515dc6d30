// Normalizations and softmax: composites with a fast row kernel. Statistics of 16-bit floats are f32.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_NORM
#define SHEAF_DIALECTS_GRAPH_OPS_NORM

include "dialects/graph/graph_attrs.td"

class Graph_SoftmaxLikeOp<string mnemonic>
    : Graph_Op<mnemonic, [SameOperandsAndResultType, Differentiable, Decomposes, ShardingRule]> {
  let arguments = (ins Graph_FloatTensor:$operand, Graph_IntAttr:$dim);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax"> {
  let summary = "Softmax along a dim";
  let description = [{
    `exp(x - max) / sum(exp(x - max))`. A row of only `-inf` is NaN.
    (C1) `dim` is a dim of the operand.
    ```mlir
    %y = graph.softmax %x dim 1 : tensor<4x8xf32>
    ```
  }];
}

def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax"> {
  let summary = "Logarithm of the softmax along a dim";
  let description = [{
    `x - max - log(sum(exp(x - max)))`.
    (C1) `dim` is a dim of the operand.
    ```mlir
    %y = graph.log_softmax %x dim 1 : tensor<4x8xf32>
    ```
  }];
}

def Graph_LayerNormOp : Graph_Op<"layer_norm",
    [Differentiable, Decomposes, ShardingRule, AllTypesMatch<["operand", "result"]>,
    AttrSizedOperandSegments]> {
  let summary = "Layer normalization over the trailing dims";
  let description = [{
    Over dims `axis..`: `(x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + bias` (Ba et al. 2016).
    (C1) `axis` is a dim of the operand. (C2) `scale` and `bias` have the trailing shape. (C3) a `bias`
    comes with a `scale`.
    ```mlir
    %y = graph.layer_norm %x scale %s bias %b axis 1 epsilon 1.0e-5
        : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Optional<Graph_FloatTensor>:$scale,
      Optional<Graph_FloatTensor>:$bias, Graph_IntAttr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` $scale^)? (`bias` $bias^)? `axis` $axis `epsilon` $epsilon attr-dict
    `:` type($operand) (`,` type($scale)^)? (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_Op<"rms_norm",
    [Differentiable, Decomposes, ShardingRule, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Root-mean-square normalization over the trailing dims";
  let description = [{
    Over dims `axis..`: `x / sqrt(mean(x^2) + epsilon) * scale` (Zhang and Sennrich 2019).
    (C1) `axis` is a dim of the operand. (C2) `scale` has the trailing shape.
    ```mlir
    %y = graph.rms_norm %x scale %s axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Optional<Graph_FloatTensor>:$scale,
      Graph_IntAttr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` $scale^)? `axis` $axis `epsilon` $epsilon attr-dict
    `:` type($operand) (`,` type($scale)^)?
  }];
  let hasVerifier = 1;
}

def Graph_BatchNormOp : Graph_Op<"batch_norm",
    [Differentiable, Decomposes, ShardingRule, AllTypesMatch<["operand", "result"]>,
    AllTypesMatch<["mean", "variance"]>, AllTypesMatch<["scale", "bias"]>]> {
  let summary = "Batch normalization with given statistics";
  let description = [{
    `(x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]`, `c` the index along dim 1
    (Ioffe and Szegedy 2015, inference).
    (C1) the operand has a dim 1. (C2) the other operands have its extent.
    ```mlir
    %y = graph.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5
        : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$bias, Graph_FloatTensor:$mean, Graph_FloatTensor:$variance,
      F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict
    `:` type($operand) `,` type($scale) `,` type($mean)
  }];
  let hasVerifier = 1;
}

def Graph_GroupNormOp : Graph_Op<"group_norm",
    [Differentiable, Decomposes, ShardingRule, Localizes, AllTypesMatch<["operand", "result"]>,
    AllTypesMatch<["scale", "bias"]>]> {
  let summary = "Normalization over groups of channels";
  let description = [{
    Dim 1 is split into `groups`; mean and variance are over a group's channels and all space, then
    `* scale[c] + bias[c]` (Wu and He 2018). `groups` equal to the channels is instance normalization.
    (C1) the operand has a dim 1, a multiple of `groups`. (C2) `scale` and `bias` have its extent.
    ```mlir
    %y = graph.group_norm %x, %s, %b groups 2 epsilon 1.0e-5 : tensor<1x8x4xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$bias, Graph_IntAttr:$groups, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $bias `groups` $groups `epsilon` $epsilon attr-dict
    `:` type($operand) `,` type($scale)
  }];
  let hasVerifier = 1;
}

#endif
