// RUN: shard-opt %s --lowering-cluster --split-input-file | FileCheck %s

// Softmax and what scales its operand become one kernel; the contractions stay outside.
// CHECK-LABEL: func @softmax
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[M:.*]]: tensor<8xf32>
func.func @softmax(%x: tensor<4x8xf32>, %mask: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[R:.*]] = graph.cluster(%[[M]], %[[X]])
  // CHECK-COUNT-2: graph.reduce
  // CHECK: graph.yield %{{.*}} : tensor<4x8xf32>
  // CHECK: return %[[R]]
  %m = graph.broadcast %mask to [1] : tensor<8xf32> -> tensor<4x8xf32>
  %a = graph.binary add %x, %m : tensor<4x8xf32>
  %max = graph.reduce max %a over [1] : tensor<4x8xf32>
  %maxb = graph.broadcast %max to [0] : tensor<4xf32> -> tensor<4x8xf32>
  %d = graph.binary sub %a, %maxb : tensor<4x8xf32>
  %e = graph.unary exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e over [1] : tensor<4x8xf32>
  %sb = graph.broadcast %s to [0] : tensor<4xf32> -> tensor<4x8xf32>
  %y = graph.binary div %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A value that is needed outside too is a second result.
// CHECK-LABEL: func @two_results
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]]:2 = graph.cluster
  // CHECK: return %[[R]]#0, %[[R]]#1
  %a = graph.unary exp %x : tensor<4xf32>
  %b = graph.unary tanh %a : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The first and the last op can't be one kernel: the product lies between them.
// CHECK-LABEL: func @no_cycle
func.func @no_cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[A:.*]] = graph.cluster
  // CHECK: %[[P:.*]] = graph.transpose %[[A]]
  // CHECK: graph.cluster({{.*}}%[[P]]
  %a = graph.unary exp %x : tensor<4x4xf32>
  %p = graph.transpose %a by [1, 0] : tensor<4x4xf32>
  %y = graph.binary add %a, %p : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// Reductions over different dims walk different columns.
// CHECK-LABEL: func @two_reductions
func.func @two_reductions(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: graph.cluster
  %a = graph.reduce sum %x over [0] : tensor<4x8xf32>
  %b = graph.broadcast %a to [1] : tensor<8xf32> -> tensor<4x8xf32>
  %c = graph.binary mul %b, %x : tensor<4x8xf32>
  %y = graph.reduce sum %c over [1] : tensor<4x8xf32>
  return %y : tensor<4xf32>
}

// -----

// The exponential of a row is not worth repeating for every row; an addition is.
// CHECK-LABEL: func @repeated_work
func.func @repeated_work(%x: tensor<64x8xf32>, %v: tensor<8xf32>)
    -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  // CHECK: graph.cluster
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: graph.unary exp
  // CHECK-NEXT: graph.yield
  // CHECK: graph.cluster
  // CHECK: graph.unary neg
  // CHECK-NEXT: graph.broadcast
  // CHECK-NEXT: graph.binary mul
  %e = graph.unary exp %v : tensor<8xf32>
  %eb = graph.broadcast %e to [1] : tensor<8xf32> -> tensor<64x8xf32>
  %a = graph.binary add %x, %eb : tensor<64x8xf32>
  %n = graph.unary neg %v : tensor<8xf32>
  %nb = graph.broadcast %n to [1] : tensor<8xf32> -> tensor<64x8xf32>
  %b = graph.binary mul %x, %nb : tensor<64x8xf32>
  return %a, %b : tensor<64x8xf32>, tensor<64x8xf32>
}

// -----

// A reshape on the way goes along, and so does one of a view, which then needs no copy.
// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<2x8x3xf32>) -> tensor<2x24xf32> {
  // CHECK: %[[T:.*]] = graph.transpose
  // CHECK: graph.cluster(%[[T]])
  // CHECK: graph.reshape
  // CHECK: graph.unary exp
  %t = graph.transpose %x by [0, 2, 1] : tensor<2x8x3xf32>
  %r = graph.reshape %t : tensor<2x3x8xf32> -> tensor<2x24xf32>
  %y = graph.unary exp %r : tensor<2x24xf32>
  return %y : tensor<2x24xf32>
}

// -----

// A reshape that cuts dims elsewhere than the ops do stays a view.
// CHECK-LABEL: func @reshape_apart
func.func @reshape_apart(%x: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // CHECK: graph.cluster
  // CHECK: graph.reshape
  // CHECK: graph.cluster
  %a = graph.binary add %x, %b : tensor<4x6xf32>
  %r = graph.reshape %a : tensor<4x6xf32> -> tensor<6x4xf32>
  %s = graph.reduce sum %r over [1] : tensor<6x4xf32>
  %sb = graph.broadcast %s to [0] : tensor<6xf32> -> tensor<6x4xf32>
  %y = graph.binary sub %r, %sb : tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// Constants of one value are inside, others are operands. Counting is inside where it can be.
// CHECK-LABEL: func @constants
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  // CHECK: %[[C:.*]] = graph.constant dense<[
  // CHECK: graph.cluster({{.*}}%[[C]]
  // CHECK: graph.constant dense<2.0
  // CHECK: graph.cluster()
  // CHECK: graph.iota
  %one = graph.constant dense<2.0> : tensor<4xf32>
  %many = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = graph.binary mul %x, %one : tensor<4xf32>
  %b = graph.binary add %a, %many : tensor<4xf32>
  %i = graph.iota dim 0 : tensor<4xi64>
  return %b, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

// What costs nothing within a kernel is one where there is no other, also in front of one.
// CHECK-LABEL: func @free_elementwise
func.func @free_elementwise(%x: tensor<4xf16>, %y: tensor<4xui8>)
    -> (tensor<4xf32>, tensor<4xui8>, tensor<4xf32>) {
  // CHECK: graph.cluster
  // CHECK: graph.cast
  // CHECK: graph.cluster
  // CHECK: graph.unary abs
  // CHECK: graph.cluster
  // CHECK: graph.cast
  // CHECK: graph.unary exp
  %wide = graph.cast %x : tensor<4xf16> -> tensor<4xf32>
  %same = graph.unary abs %y : tensor<4xui8>
  %more = graph.unary exp %wide : tensor<4xf32>
  return %wide, %same, %more : tensor<4xf32>, tensor<4xui8>, tensor<4xf32>
}

// -----

// Types without vector code stay outside.
// CHECK-LABEL: func @narrow_types
// CHECK-NOT: graph.cluster
func.func @narrow_types(%x: tensor<4xf8E4M3FN>) -> tensor<4xf32> {
  %y = graph.cast %x : tensor<4xf8E4M3FN> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Users come after the cluster, wherever its first op was.
// CHECK-LABEL: func @order
func.func @order(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[R:.*]]:2 = graph.cluster
  // CHECK: graph.transpose %[[R]]#0
  %a = graph.unary exp %x : tensor<4x4xf32>
  %t = graph.transpose %a by [1, 0] : tensor<4x4xf32>
  %b = graph.binary add %a, %z : tensor<4x4xf32>
  return %t, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
