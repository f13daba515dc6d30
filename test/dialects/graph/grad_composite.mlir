// RUN: shard-opt %s -split-input-file --training-differentiate='output=1 arguments=0,1' --canonicalize --cse | FileCheck %s

// Of the result alone.
// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<2x4xf32>, %w: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<f32>) {
  // CHECK: %[[Y:.*]] = graph.softmax %arg0
  // CHECK: graph.reduce sum
  // CHECK: %[[G:.*]] = graph.binary mul %{{.*}}, %arg1
  // CHECK: %[[GY:.*]] = graph.binary mul %[[G]], %[[Y]]
  // CHECK: graph.reduce sum %[[GY]] over [1]
  // CHECK-NOT: graph.unary exp
  // CHECK: return
  %0 = graph.softmax %x dim 1 : tensor<2x4xf32>
  %1 = graph.binary mul %0, %w : tensor<2x4xf32>
  %2 = graph.binary mul %1, %1 : tensor<2x4xf32>
  %3 = graph.reduce sum %2 over [0, 1] : tensor<2x4xf32>
  return %0, %3 : tensor<2x4xf32>, tensor<f32>
}

// -----

// Only the operand is kept; statistics are computed again in f32.
// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<2x4xbf16>, %w: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<bf16>) {
  // CHECK: graph.rms_norm
  // CHECK: %[[X:.*]] = graph.cast %arg0 : tensor<2x4xbf16> -> tensor<2x4xf32>
  // CHECK: %[[SQUARE:.*]] = graph.binary mul %[[X]], %[[X]]
  // CHECK: graph.reduce sum %[[SQUARE]] over [1]
  // CHECK: graph.unary rsqrt
  // CHECK: graph.reduce sum %{{.*}} over [0] : tensor<2x4xf32>
  %0 = graph.rms_norm %x scale %w axis 1 epsilon 1.0e-5 : tensor<2x4xbf16>, tensor<4xbf16>
  %1 = graph.reduce sum %0 over [0, 1] : tensor<2x4xbf16>
  return %0, %1 : tensor<2x4xbf16>, tensor<bf16>
}

// -----

// Nothing of the size of the scores is made.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x4x8x16xbf16>, %k: tensor<1x2x8x16xbf16>) -> (tensor<1x4x8x16xbf16>, tensor<bf16>) {
  // CHECK: graph.attention
  // CHECK: graph.attention_grad %arg0, %arg1, %arg1, %{{.*}} scale 2.500000e-01 causal
  // CHECK-NOT: x8x8x
  // CHECK: return
  %0 = graph.attention %q, %k, %k scale 0.25 causal
      : tensor<1x4x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>
  %1 = graph.reduce sum %0 over [0, 1, 2, 3] : tensor<1x4x8x16xbf16>
  return %0, %1 : tensor<1x4x8x16xbf16>, tensor<bf16>
}

// -----

// The gradient of logits is computed per element from the logits and two numbers per row, and no other tensor of
// their size is made but by element-wise ops.
// CHECK-LABEL: func @cross_entropy
func.func @cross_entropy(%x: tensor<4x8xbf16>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  // CHECK: graph.reduce max
  // CHECK: graph.unary exp
  // CHECK: graph.iota dim 1 : tensor<4x8xi64>
  // CHECK-NOT: graph.scatter
  // CHECK: graph.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
  %t = graph.constant dense<[1, 2, -100, 4]> : tensor<4xi64>
  %0 = graph.cross_entropy %x, %t ignore -100 : tensor<4x8xbf16>, tensor<4xi64>
  %1 = graph.binary mul %0, %w : tensor<4xf32>
  %2 = graph.reduce sum %1 over [0] : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<f32>
}

// -----

// A convolution and its gradients are gradients of each other.
// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>) -> (tensor<1x4x4x4xf32>, tensor<f32>) {
  // CHECK: graph.conv %arg0, %arg1
  // CHECK: %[[F:.*]] = graph.conv_filter_grad %arg0, %{{.*}} strides [2, 2] pad [1, 1] to [1, 1]
  // CHECK: return %{{.*}}, %[[X:.*]], %[[F]]
  %0 = graph.conv %x, %f strides [2, 2] pad [1, 1] to [1, 1] dilations [1, 1] groups 1
      : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %1 = graph.reduce sum %0 over [0, 1, 2, 3] : tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<f32>
}
