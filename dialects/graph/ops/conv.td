// Convolutions, pooling and resizing: ops with windows over space.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_CONV
#define SHEAF_DIALECTS_GRAPH_OPS_CONV

include "dialects/graph/graph_attrs.td"

def Graph_ConvOp : Graph_InferredOp<"conv",
    [Differentiable, HasCost, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Convolution (cross-correlation) over space";
  let description = [{
    `input` is `[b, c, space..]`, `filter` `[o, c/groups, window..]`, the result `[b, o, space..]`.
    An extent of the result is `(in + low + high - (dilation (window - 1) + 1)) / stride + 1`,
    rounded down. Padding may be negative.
    (C1) every list has one entry per spatial dim; strides and dilations are positive.
    (C2) `c` is `groups` times the filter's; `o` is a multiple of `groups`.
    (C3) every extent of the result is positive or the padded input's is zero.
    ```mlir
    %y = graph.conv %x, %f strides [2, 2] pad [1, 1] to [1, 1] dilations [1, 1] groups 1
        : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$filter, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$paddingLow, DenseI64ArrayAttr:$paddingHigh, DenseI64ArrayAttr:$dilations,
      Graph_IntAttr:$groups);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $filter `strides` $strides `pad` $paddingLow `to` $paddingHigh `dilations` $dilations
    `groups` $groups attr-dict `:` type($input) `,` type($filter)
  }];
}

def Graph_ConvInputGradOp : Graph_Op<"conv_input_grad",
    [Differentiable, HasCost, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Gradient of a convolution with respect to its input; transposed convolution";
  let description = [{
    The linear map adjoint to `conv` with the same attributes: `outputGrad` is of the conv's result
    type, the result of its input type.
    (C1) `conv` of the result type and `filter` infers the type of `outputGrad`.
    ```mlir
    %x = graph.conv_input_grad %g, %f strides [2] pad [0] to [0] dilations [1] groups 1
        : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$outputGrad, Graph_Tensor:$filter, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$paddingLow, DenseI64ArrayAttr:$paddingHigh, DenseI64ArrayAttr:$dilations,
      Graph_IntAttr:$groups);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $outputGrad `,` $filter `strides` $strides `pad` $paddingLow `to` $paddingHigh
    `dilations` $dilations `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_ConvFilterGradOp : Graph_Op<"conv_filter_grad",
    [Differentiable, HasCost, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Gradient of a convolution with respect to its filter";
  let description = [{
    The linear map adjoint to `conv` as a function of its filter.
    (C1) `conv` of `input` and the result type infers the type of `outputGrad`.
    ```mlir
    %f = graph.conv_filter_grad %x, %g strides [2] pad [0] to [0] dilations [1] groups 1
        : (tensor<1x2x6xf32>, tensor<1x4x3xf32>) -> tensor<4x2x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$outputGrad, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$paddingLow, DenseI64ArrayAttr:$paddingHigh, DenseI64ArrayAttr:$dilations,
      Graph_IntAttr:$groups);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $outputGrad `strides` $strides `pad` $paddingLow `to` $paddingHigh
    `dilations` $dilations `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_PoolOp : Graph_InferredOp<"pool",
    [Differentiable, HasCost, ShardingRule, PassesPartials, ReadsWindows, Localizes]> {
  let summary = "Combines each window over space";
  let description = [{
    `operand` is `[b, c, space..]`. Padding is no element: `max` ignores it, `avg_exclude` divides by
    the elements present, `avg_include` by the elements of the padded operand in the window.
    `max` of a window that holds NaN is NaN.
    (C1) every list has one entry per spatial dim; strides, dilations and windows are positive.
    (C2) padding is at least 0.
    (C3) every extent of the result is positive.
    ```mlir
    %y = graph.pool max %x window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1]
        : tensor<1x3x8x8xf32>
    ```
  }];
  let arguments = (ins Graph_PoolKindAttr:$kind, Graph_Tensor:$operand, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$paddingLow, DenseI64ArrayAttr:$paddingHigh,
      DenseI64ArrayAttr:$dilations);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `window` $window `strides` $strides `pad` $paddingLow `to` $paddingHigh
    `dilations` $dilations attr-dict `:` type($operand)
  }];
}

def Graph_PoolArgmaxOp : Graph_InferredOp<"pool_argmax",
    [Differentiable, ShardingRule, Localizes]> {
  let summary = "Maximum of each window and where it was";
  let description = [{
    As `pool max`; `indices` are flat row-major positions in the whole operand (i64), of the first
    maximum in the window. With `columnMajor`, the two last spatial dims are counted column-major.
    (C1-C3) as `pool`.
    ```mlir
    %y, %i = graph.pool_argmax %x window [2, 2] strides [2, 2] pad [0, 0] to [0, 0]
        dilations [1, 1] : tensor<1x3x8x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$paddingLow, DenseI64ArrayAttr:$paddingHigh,
      DenseI64ArrayAttr:$dilations, UnitAttr:$columnMajor);
  let results = (outs Graph_Tensor:$values, Graph_IndexTensor:$indices);
  let assemblyFormat = [{
    $operand `window` $window `strides` $strides `pad` $paddingLow `to` $paddingHigh
    `dilations` $dilations attr-dict `:` type($operand)
  }];
}

def Graph_ResizeOp : Graph_Op<"resize", [Differentiable, ShardingRule]> {
  let summary = "Samples a tensor at other extents";
  let description = [{
    Separable interpolation over all dims, as ONNX Resize defines it. `scales` are the true scales
    per dim (they may differ from the quotient of the extents). `region` (start then end per dim, in
    fractions of the operand) is used by `tf_crop_and_resize` only; places outside the operand then
    give `extrapolation`.
    (C1) `scales` has one positive entry per dim; `region` is empty or has two per dim.
    ```mlir
    %y = graph.resize linear half_pixel floor %x scales [1.0, 1.0, 2.0, 2.0] region []
        : tensor<1x1x2x2xf32> -> tensor<1x1x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_ResizeModeAttr:$mode, Graph_ResizeCoordinatesAttr:$coordinates,
      Graph_ResizeRoundingAttr:$rounding, Graph_Tensor:$operand, DenseF64ArrayAttr:$scales,
      DenseF64ArrayAttr:$region, DefaultValuedAttr<F64Attr, "-0.75">:$cubicCoefficient,
      DefaultValuedAttr<F64Attr, "0.0">:$extrapolation, UnitAttr:$excludeOutside,
      UnitAttr:$antialias);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $mode $coordinates $rounding $operand `scales` $scales `region` $region attr-dict
    `:` type($operand) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether each place of the result along `dim` is the same place of the operand.
    bool keepsPlaces(int64_t dim);
  }];
  let hasVerifier = 1;
}

#endif
