// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @c1_entries(%x: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{strides has 1 entries, but there are 2 spatial dims}}
  %y = graph.conv %x, %f strides [2] pad [1, 1] to [1, 1] dilations [1, 1] groups 1 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  return
}

// -----

func.func @c1_stride_zero(%x: tensor<1x3x8xf32>, %f: tensor<4x3x3xf32>) {
  // expected-error @+1 {{strides has the entry 0, which is not in [1, 2147483648]}}
  %y = graph.conv %x, %f strides [0] pad [1] to [1] dilations [1] groups 1 : tensor<1x3x8xf32>, tensor<4x3x3xf32>
  return
}

// -----

func.func @c2_channels(%x: tensor<1x4x8xf32>, %f: tensor<4x3x3xf32>) {
  // expected-error @+1 {{input has 4 channels, but filter dim 1 (3) times groups (1) must equal them}}
  %y = graph.conv %x, %f strides [1] pad [1] to [1] dilations [1] groups 1 : tensor<1x4x8xf32>, tensor<4x3x3xf32>
  return
}

// -----

func.func @c2_groups(%x: tensor<1x4x8xf32>, %f: tensor<5x2x3xf32>) {
  // expected-error @+1 {{filter dim 0 (5) must be a multiple of groups (2)}}
  %y = graph.conv %x, %f strides [1] pad [1] to [1] dilations [1] groups 2 : tensor<1x4x8xf32>, tensor<5x2x3xf32>
  return
}

// -----

func.func @c3_window_too_large(%x: tensor<1x3x2xf32>, %f: tensor<4x3x3xf32>) {
  // expected-error @+1 {{the window of spatial dim 0 (3, dilation 1) is larger than the padded input (2)}}
  %y = graph.conv %x, %f strides [1] pad [0] to [0] dilations [1] groups 1 : tensor<1x3x2xf32>, tensor<4x3x3xf32>
  return
}

// -----

func.func @input_grad_c1_type(%g: tensor<1x4x3xf32>, %f: tensor<4x2x2xf32>) {
  // expected-error @+1 {{output gradient is of type 'tensor<1x4x3xf32>', but the convolution's result is of type 'tensor<1x4x4xf32>'}}
  %0 = graph.conv_input_grad %g, %f strides [2] pad [0] to [0] dilations [1] groups 1 : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @filter_grad_c1_type(%x: tensor<1x2x6xf32>, %g: tensor<1x5x3xf32>) {
  // expected-error @+1 {{output gradient is of type 'tensor<1x5x3xf32>', but the convolution's result is of type 'tensor<1x4x3xf32>'}}
  %0 = graph.conv_filter_grad %x, %g strides [2] pad [0] to [0] dilations [1] groups 1 : (tensor<1x2x6xf32>, tensor<1x5x3xf32>) -> tensor<4x2x2xf32>
  return
}

// -----

func.func @pool_c2_padding(%x: tensor<1x3x8xf32>) {
  // expected-error @+1 {{padding -1 must not be negative}}
  %y = graph.pool max %x window [2] strides [2] pad [-1] to [0] dilations [1] : tensor<1x3x8xf32>
  return
}

// -----

func.func @pool_c3_window_too_large(%x: tensor<1x3x2xf32>) {
  // expected-error @+1 {{the window of spatial dim 0 (3, dilation 1) is larger than the padded operand (2)}}
  %y = graph.pool max %x window [3] strides [2] pad [0] to [0] dilations [1] : tensor<1x3x2xf32>
  return
}

// -----

func.func @resize_c1_scales(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{has 2 scales, but the operand has rank 3}}
  %y = graph.resize nearest asymmetric floor %x scales [1.0, 2.0] region [] : tensor<1x1x2xf32> -> tensor<1x1x4xf32>
  return
}

// -----

func.func @resize_c1_region(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{region has 2 entries, but must be empty or have 6}}
  %y = graph.resize nearest asymmetric floor %x scales [1.0, 1.0, 2.0] region [0.0, 1.0] : tensor<1x1x2xf32> -> tensor<1x1x4xf32>
  return
}

// -----

// The parser infers types before it checks operands.
func.func @operand_without_shape(%x: tensor<1x3x?xf32>) {
  // expected-error @+1 {{operand #0 must be a statically shaped tensor of floats or integers, but is 'tensor<1x3x?xf32>'}}
  %y = graph.pool max %x window [3] strides [2] pad [0] to [0] dilations [1] : tensor<1x3x?xf32>
  return
}
