// RUN: shard-opt %s -split-input-file --training-differentiate='output=1 arguments=0' --canonicalize | FileCheck %s

// Elements between those that were taken are zeros: they are dims of their own, which are padded.
// CHECK-LABEL: func @strided_slice
func.func @strided_slice(%x: tensor<8x4xf32>, %w: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<f32>) {
  // CHECK: %[[APART:.*]] = graph.reshape %{{.*}} : tensor<3x4xf32> -> tensor<3x1x4xf32>
  // CHECK: %[[PADDED:.*]] = graph.pad %[[APART]], %{{.*}} low [0, 0, 0] high [0, 2, 0]
  // CHECK: %[[FLAT:.*]] = graph.reshape %[[PADDED]] : tensor<3x3x4xf32> -> tensor<9x4xf32>
  // CHECK: %[[CUT:.*]] = graph.slice %[[FLAT]] from [0, 0] to [7, 4] by [1, 1]
  // CHECK: graph.pad %[[CUT]], %{{.*}} low [1, 0] high [0, 0]
  %0 = graph.slice %x from [1, 0] to [8, 4] by [3, 1] : tensor<8x4xf32>
  %1 = graph.binary mul %0, %w : tensor<3x4xf32>
  %2 = graph.reduce sum %1 over [0, 1] : tensor<3x4xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<f32>
}

// -----

// Repeated dims are added up.
// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<1x4xf32>, %w: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<f32>) {
  // CHECK: %[[S:.*]] = graph.reduce sum %{{.*}} over [0, 1] : tensor<2x3x4xf32>
  // CHECK: graph.reshape %[[S]] : tensor<4xf32> -> tensor<1x4xf32>
  %0 = graph.broadcast %x to [1, 2] : tensor<1x4xf32> -> tensor<2x3x4xf32>
  %1 = graph.binary mul %0, %w : tensor<2x3x4xf32>
  %2 = graph.reduce sum %1 over [0, 1, 2] : tensor<2x3x4xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<f32>
}

// -----

// Rows of a table are added up at their places, in f32.
// CHECK-LABEL: func @embedding
func.func @embedding(%table: tensor<11x4xbf16>, %ids: tensor<2x3xi64>) -> (tensor<2x3x4xbf16>, tensor<bf16>) {
  // CHECK-DAG: %[[ZEROS:.*]] = graph.constant dense<0.000000e+00> : tensor<11x4xf32>
  // CHECK-DAG: %[[I:.*]] = graph.reshape %arg1 : tensor<2x3xi64> -> tensor<2x3x1xi64>
  // CHECK: %[[S:.*]] = graph.scatter_nd add %[[ZEROS]], %[[I]], %{{.*}} : tensor<11x4xf32>
  // CHECK: graph.cast %[[S]] : tensor<11x4xf32> -> tensor<11x4xbf16>
  %0 = graph.gather %table, %ids dim 0 batch 0 : tensor<11x4xbf16>, tensor<2x3xi64>
  %1 = graph.reduce sum %0 over [0, 1, 2] : tensor<2x3x4xbf16>
  return %0, %1 : tensor<2x3x4xbf16>, tensor<bf16>
}

// -----

// Of a gather within a batch: rows and columns stay apart, so that they can be cut.
// CHECK-LABEL: func @gather
func.func @gather(%x: tensor<2x5x4xf32>, %ids: tensor<2x3xi64>) -> (tensor<2x3x4xf32>, tensor<f32>) {
  // CHECK: %[[I:.*]] = graph.broadcast %arg1 to [0, 1] : tensor<2x3xi64> -> tensor<2x3x4xi64>
  // CHECK: graph.scatter_elements add %{{.*}}, %[[I]], %{{.*}} dim 1
  %0 = graph.gather %x, %ids dim 1 batch 1 : tensor<2x5x4xf32>, tensor<2x3xi64>
  %1 = graph.reduce sum %0 over [0, 1, 2] : tensor<2x3x4xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<f32>
}
