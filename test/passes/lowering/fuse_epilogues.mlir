// RUN: shard-opt %s --lowering-legalize --lowering-fuse-epilogues | FileCheck %s

// CHECK-LABEL: func @bias_and_activation
func.func @bias_and_activation(%x: tensor<2x4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: %[[Y:.*]] = exec.apply "contract"(%arg0, %arg1, %arg2) with
  // CHECK-SAME: activation = "gelu_tanh", has_bias = true
  // CHECK: return %[[Y]]
  %c = graph.contract %x, %w batch [] x [] over [2] x [0] : (tensor<2x4x8xf32>, tensor<8x3xf32>) -> tensor<2x4x3xf32>
  %wide = graph.broadcast %b to [2] : tensor<3xf32> -> tensor<2x4x3xf32>
  %s = graph.binary add %wide, %c : tensor<2x4x3xf32>
  %y = graph.unary gelu_tanh %s : tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// The library's relu and sigmoid make 0 of NaN.
// CHECK-LABEL: func @relu
func.func @relu(%x: tensor<1x4x8xf32>, %w: tensor<8x3xf32>) -> tensor<1x4x3xf32> {
  // CHECK: exec.apply "contract"(%arg0, %arg1) with
  // CHECK: graph.unary relu
  %c = graph.contract %x, %w batch [] x [] over [2] x [0] : (tensor<1x4x8xf32>, tensor<8x3xf32>) -> tensor<1x4x3xf32>
  %y = graph.unary relu %c : tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// A bias along another dim than that of the weights is no bias.
// CHECK-LABEL: func @bias_along_rows
func.func @bias_along_rows(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK: exec.apply "contract"(%arg0, %arg1) with
  // CHECK-NOT: has_bias
  // CHECK: graph.binary add
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %wide = graph.broadcast %b to [0] : tensor<4xf32> -> tensor<4x4xf32>
  %s = graph.binary add %c, %wide : tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// One value for all rows and columns is no bias either.
// CHECK-LABEL: func @scalar_bias
func.func @scalar_bias(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<1xf32>) -> tensor<4x3xf32> {
  // CHECK-NOT: has_bias
  // CHECK: graph.binary add
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %wide = graph.broadcast %b to [1] : tensor<1xf32> -> tensor<4x3xf32>
  %s = graph.binary add %c, %wide : tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// The result is needed without the activation, too.
// CHECK-LABEL: func @two_users
func.func @two_users(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK-NOT: activation
  // CHECK: graph.unary tanh
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %y = graph.unary tanh %c : tensor<4x3xf32>
  return %c, %y : tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func @residual_block
func.func @residual_block(%x: tensor<1x4x8x8xf32>, %f: tensor<4x4x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: exec.apply "conv"(%arg0, %arg1, %arg2, %arg0) with
  // CHECK-SAME: activation = "silu"
  // CHECK-SAME: has_bias = true, has_residual = true
  %c = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %wide = graph.broadcast %b to [1] : tensor<4xf32> -> tensor<1x4x8x8xf32>
  %s = graph.binary add %c, %wide : tensor<1x4x8x8xf32>
  %r = graph.binary add %x, %s : tensor<1x4x8x8xf32>
  %y = graph.unary silu %r : tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func @scale
func.func @scale(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  // CHECK: exec.apply "contract"(%arg0, %arg1) with {alpha = 1.250000e-01 : f64
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %eighth = graph.constant dense<0.125> : tensor<4x3xf32>
  %y = graph.binary mul %c, %eighth : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
