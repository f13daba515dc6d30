// RUN: shard-opt %s --split-input-file --canonicalize | FileCheck %s

// A transposed operand is read in place when its free dims keep their order.
// CHECK-LABEL: func @reads_before_transpose
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x3x8xf32>, %[[K:.*]]: tensor<2x4x5x8xf32>)
func.func @reads_before_transpose(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>) -> tensor<2x4x3x5xf32> {
  // CHECK-NOT: transpose
  // CHECK: graph.contract %[[Q]], %[[K]] batch [0, 1] x [0, 1] over [3] x [3]
  %t = graph.transpose %k by [0, 1, 3, 2] : tensor<2x4x5x8xf32>
  %s = graph.contract %q, %t batch [0, 1] x [0, 1] over [3] x [2]
      : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  return %s : tensor<2x4x3x5xf32>
}

// -----

// Batch dims may lie anywhere too.
// CHECK-LABEL: func @moves_batch_dims
func.func @moves_batch_dims(%q: tensor<2x3x4x8xf32>, %k: tensor<2x4x5x8xf32>) -> tensor<2x4x3x5xf32> {
  // CHECK: graph.contract %{{.*}} batch [0, 2] x [0, 1] over [3] x [3]
  // CHECK-SAME: (tensor<2x3x4x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x5xf32>
  %t = graph.transpose %q by [0, 2, 1, 3] : tensor<2x3x4x8xf32>
  %s = graph.contract %t, %k batch [0, 1] x [0, 1] over [3] x [3]
      : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x5xf32>
  return %s : tensor<2x4x3x5xf32>
}

// -----

// The order of free dims is that of the result: such a transpose stays.
// CHECK-LABEL: func @keeps_order_of_free_dims
func.func @keeps_order_of_free_dims(%a: tensor<2x3x8xf32>, %b: tensor<8xf32>) -> tensor<3x2xf32> {
  // CHECK: graph.transpose
  %t = graph.transpose %a by [1, 0, 2] : tensor<2x3x8xf32>
  %c = graph.contract %t, %b batch [] x [] over [2] x [0] : (tensor<3x2x8xf32>, tensor<8xf32>) -> tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}
