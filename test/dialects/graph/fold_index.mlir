// RUN: shard-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @gather
func.func @gather() -> (tensor<2x2xi64>, tensor<i64>, tensor<2x2xi64>) {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %i = graph.constant dense<[-1, 0]> : tensor<2xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[2, 0], [5, 3]]> : tensor<2x2xi64>
  %a = graph.gather %x, %i dim 1 batch 0 : tensor<2x3xi64>, tensor<2xi64>
  // The idiom of exported shape arithmetic: one extent of a shape.
  %s = graph.constant dense<[8, 128, 768]> : tensor<3xi64>
  %j = graph.constant dense<1> : tensor<i32>
  // CHECK-DAG: graph.constant dense<128> : tensor<i64>
  %b = graph.gather %s, %j dim 0 batch 0 : tensor<3xi64>, tensor<i32>
  // Row 0 takes its elements 2 and 1, row 1 its elements 0 and 0.
  %k = graph.constant dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[2, 1], [3, 3]]> : tensor<2x2xi64>
  %c = graph.gather %x, %k dim 1 batch 1 : tensor<2x3xi64>, tensor<2x2xi64>
  return %a, %b, %c : tensor<2x2xi64>, tensor<i64>, tensor<2x2xi64>
}

// CHECK-LABEL: func @gather_elements
func.func @gather_elements() -> (tensor<2x2xi64>, tensor<1x3xi64>) {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %i = graph.constant dense<[[2, 0], [1, -1]]> : tensor<2x2xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[2, 0], [4, 5]]> : tensor<2x2xi64>
  %a = graph.gather_elements %x, %i dim 1 : tensor<2x3xi64>, tensor<2x2xi64>
  %j = graph.constant dense<[[1, 0, 1]]> : tensor<1x3xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[3, 1, 5]]> : tensor<1x3xi64>
  %b = graph.gather_elements %x, %j dim 0 : tensor<2x3xi64>, tensor<1x3xi64>
  return %a, %b : tensor<2x2xi64>, tensor<1x3xi64>
}

// CHECK-LABEL: func @gather_nd
func.func @gather_nd() -> (tensor<2xi64>, tensor<1x3xi64>, tensor<2xi64>) {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %i = graph.constant dense<[[0, -1], [1, 0]]> : tensor<2x2xi64>
  // CHECK-DAG: graph.constant dense<[2, 3]> : tensor<2xi64>
  %a = graph.gather_nd %x, %i batch 0 : tensor<2x3xi64>, tensor<2x2xi64>
  %j = graph.constant dense<[[1]]> : tensor<1x1xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[3, 4, 5]]> : tensor<1x3xi64>
  %b = graph.gather_nd %x, %j batch 0 : tensor<2x3xi64>, tensor<1x1xi64>
  %k = graph.constant dense<[[1], [2]]> : tensor<2x1xi64>
  // CHECK-DAG: graph.constant dense<[1, 5]> : tensor<2xi64>
  %c = graph.gather_nd %x, %k batch 1 : tensor<2x3xi64>, tensor<2x1xi64>
  return %a, %b, %c : tensor<2xi64>, tensor<1x3xi64>, tensor<2xi64>
}

// An index out of range is an error at run time, so the op stays.
// CHECK-LABEL: func @out_of_range
func.func @out_of_range() -> (tensor<i64>, tensor<1xi64>, tensor<1xi64>) {
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = graph.constant dense<3> : tensor<i64>
  // CHECK: graph.gather %
  %a = graph.gather %x, %i dim 0 batch 0 : tensor<3xi64>, tensor<i64>
  %j = graph.constant dense<-4> : tensor<1xi64>
  // CHECK: graph.gather_elements
  %b = graph.gather_elements %x, %j dim 0 : tensor<3xi64>, tensor<1xi64>
  %k = graph.constant dense<-9223372036854775808> : tensor<1x1xi64>
  // CHECK: graph.gather_nd
  %c = graph.gather_nd %x, %k batch 0 : tensor<3xi64>, tensor<1x1xi64>
  return %a, %b, %c : tensor<i64>, tensor<1xi64>, tensor<1xi64>
}

// An assignment to all of a tensor, spelled as a scatter to every place in order.
// CHECK-LABEL: func @assignment_to_constant_places
// CHECK-NEXT: return %arg1
func.func @assignment_to_constant_places(%x: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %places = graph.constant dense<[[[0, 0], [0, -1]], [[1, 0], [1, 1]]]> : tensor<2x2x2xi64>
  %0 = graph.scatter_nd set %x, %places, %u : tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// CHECK-LABEL: func @assignment_to_counted_places
// CHECK-NEXT: return %arg1
func.func @assignment_to_counted_places(%x: tensor<1x3x4xf32>, %u: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  %0 = graph.constant dense<0> : tensor<1x3x4x1xi64>
  %rows = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %1 = graph.reshape %rows : tensor<3xi64> -> tensor<3x1x1xi64>
  %2 = graph.broadcast %1 to [1, 2, 3] : tensor<3x1x1xi64> -> tensor<1x3x4x1xi64>
  %3 = graph.iota dim 2 : tensor<1x3x4x1xi64>
  %places = graph.concat %0, %2, %3 dim 3 : tensor<1x3x4x1xi64>, tensor<1x3x4x1xi64>, tensor<1x3x4x1xi64>
  %4 = graph.scatter_nd set %x, %places, %u : tensor<1x3x4xf32>, tensor<1x3x4x3xi64>, tensor<1x3x4xf32>
  return %4 : tensor<1x3x4xf32>
}

// Other places, another order, or sums stay.
// CHECK-LABEL: func @no_assignment
// CHECK-COUNT-3: graph.scatter_nd
func.func @no_assignment(%x: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %places = graph.constant dense<[[[0, 0], [0, 1]], [[1, 0], [1, 1]]]> : tensor<2x2x2xi64>
  %other = graph.constant dense<[[[0, 0], [1, 0]], [[0, 1], [1, 1]]]> : tensor<2x2x2xi64>
  %0 = graph.scatter_nd add %x, %places, %u : tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>
  %1 = graph.scatter_nd set %x, %other, %u : tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>
  %2 = graph.iota dim 0 : tensor<2x2x1xi64>
  %counted = graph.concat %2, %2 dim 2 : tensor<2x2x1xi64>, tensor<2x2x1xi64>
  %3 = graph.scatter_nd set %x, %counted, %u : tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>
  return %0, %1, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
