// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>, %d: tensor<3x1x3x3xf32>) {
  // Padding and stride: (8 + 1 + 1 - 3) / 2 + 1 = 4, rounded down.
  // CHECK: %[[Y:.*]] = graph.conv %{{.*}} strides [2, 2]
  %y = graph.conv %x, %f strides [2, 2] pad [1, 1] to [1, 1] dilations [1, 1] groups 1
      : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  // CHECK: graph.unary neg %[[Y]] : tensor<1x4x4x4xf32>
  %y2 = graph.unary neg %y : tensor<1x4x4x4xf32>
  // Depthwise and dilated: 8 - (2 * 2 + 1) + 1 = 4; negative padding crops.
  %z = graph.conv %x, %d strides [1, 1] pad [0, -1] to [0, 0] dilations [2, 2] groups 3
      : tensor<1x3x8x8xf32>, tensor<3x1x3x3xf32>
  %z2 = graph.unary neg %z : tensor<1x3x4x3xf32>
  %p = graph.pool max %x window [2, 2] strides [2, 2] pad [0, 0] to [1, 1] dilations [1, 1]
      : tensor<1x3x8x8xf32>
  %p2 = graph.unary neg %p : tensor<1x3x4x4xf32>
  %v, %i = graph.pool_argmax %x window [3, 3] strides [3, 3] pad [0, 0] to [0, 0]
      dilations [1, 1] : tensor<1x3x8x8xf32>
  %i2 = graph.unary neg %i : tensor<1x3x2x2xi64>
  return
}

// CHECK-LABEL: func @gradients
func.func @gradients(%g: tensor<1x4x3xf32>, %f: tensor<4x2x2xf32>, %x: tensor<1x2x6xf32>) {
  // CHECK: graph.conv_input_grad
  %0 = graph.conv_input_grad %g, %f strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x6xf32>
  // CHECK: graph.conv_filter_grad
  %1 = graph.conv_filter_grad %x, %g strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x2x6xf32>, tensor<1x4x3xf32>) -> tensor<4x2x2xf32>
  return
}
