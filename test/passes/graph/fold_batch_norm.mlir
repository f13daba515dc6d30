// RUN: shard-opt %s --graph-fold-batch-norm | FileCheck %s

// The bias of the convolution is scaled too.
// CHECK-LABEL: func @after_biased_conv
func.func @after_biased_conv(%x: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>, %c: tensor<4xf32>, %s: tensor<4xf32>, %m: tensor<4xf32>) -> tensor<1x4x6x6xf32> {
  // CHECK: %[[R:.*]] = graph.unary rsqrt
  // CHECK: %[[G:.*]] = graph.binary mul %arg3, %
  // CHECK: %[[B:.*]] = graph.broadcast %[[G]] to [0] : tensor<4xf32> -> tensor<4x3x3x3xf32>
  // CHECK: %[[F:.*]] = graph.binary mul %arg1, %[[B]]
  // CHECK: graph.conv %arg0, %[[F]]
  // CHECK: graph.binary add
  // CHECK-NOT: graph.batch_norm
  // CHECK-NOT: graph.conv
  %y = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %b = graph.broadcast %c to [1] : tensor<4xf32> -> tensor<1x4x6x6xf32>
  %z = graph.binary add %y, %b : tensor<1x4x6x6xf32>
  %n = graph.batch_norm %z, %s, %c, %m, %s epsilon 1.0e-5 : tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>
  return %n : tensor<1x4x6x6xf32>
}

// A convolution that is used elsewhere would be computed twice.
// CHECK-LABEL: func @used_elsewhere
func.func @used_elsewhere(%x: tensor<1x3x8xf32>, %f: tensor<4x3x3xf32>, %c: tensor<4xf32>) -> (tensor<1x4x6xf32>, tensor<1x4x6xf32>) {
  // CHECK: graph.batch_norm
  %y = graph.conv %x, %f strides [1] pad [0] to [0] dilations [1] groups 1 : tensor<1x3x8xf32>, tensor<4x3x3xf32>
  %n = graph.batch_norm %y, %c, %c, %c, %c epsilon 1.0e-5 : tensor<1x4x6xf32>, tensor<4xf32>, tensor<4xf32>
  return %n, %y : tensor<1x4x6xf32>, tensor<1x4x6xf32>
}
