// RUN: shard-opt %s --lowering-hoist-prepare --split-input-file | FileCheck %s

// What depends on parameters only is computed once; the movement before it moves with it.
// CHECK-LABEL: func @prepare(%{{.*}}: tensor<2x8xf32> {graph.parameter = "w"}) -> (tensor<8x2xf32> {exec.variable = "prepared"})
// CHECK: graph.transpose
// CHECK: exec.apply "cumulative"
// CHECK-LABEL: func @forward(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<2x8xf32> {graph.parameter = "w"}, %[[P:.*]]: tensor<8x2xf32> {exec.variable = "prepared"})
// CHECK-NOT: cumulative
// CHECK: exec.apply "contract"(%[[X]], %[[P]])
func.func @forward(%x: tensor<4x8xf32>, %w: tensor<2x8xf32> {graph.parameter = "w"}) -> tensor<4x2xf32> {
  %t = graph.transpose %w by [1, 0] : tensor<2x8xf32>
  %s = exec.apply "cumulative"(%t) with {kind = "sum", dim = 0 : i64} : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %c = exec.apply "contract"(%x, %s) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// -----

// Movement alone stays: it is a view.
// CHECK-NOT: @prepare
// CHECK-LABEL: func @forward
func.func @forward(%x: tensor<4x8xf32>, %w: tensor<2x8xf32> {graph.parameter = "w"}) -> tensor<4x2xf32> {
  %t = graph.transpose %w by [1, 0] : tensor<2x8xf32>
  %c = exec.apply "contract"(%x, %t) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// -----

// Two functions that need the same share a variable, however they call it.
// CHECK-LABEL: func @prepare(
// CHECK-SAME: -> (tensor<2x8xf32> {exec.variable = "prepared"}, tensor<2x8xf32> {exec.variable = "prepared.1"})
// CHECK-COUNT-2: exec.apply "cumulative"
// CHECK-NOT: exec.apply "cumulative"
// CHECK-LABEL: func @first(
// CHECK-SAME: exec.variable = "prepared"}
// CHECK-LABEL: func @second(
// CHECK-SAME: exec.variable = "prepared.1"}, %{{.*}} {exec.variable = "prepared"}
func.func @first(%x: tensor<2x8xf32>, %w: tensor<2x8xf32> {graph.parameter = "w"}) -> tensor<2x8xf32> {
  %s = exec.apply "cumulative"(%w) with {kind = "sum", dim = 0 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %c = graph.binary add %x, %s : tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}
func.func @second(%w: tensor<2x8xf32> {graph.parameter = "w"}, %x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %t = exec.apply "cumulative"(%w) with {kind = "sum", dim = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %s = exec.apply "cumulative"(%w) with {kind = "sum", dim = 0 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %c = graph.binary add %x, %s : tensor<2x8xf32>
  %d = graph.binary add %c, %t : tensor<2x8xf32>
  return %d : tensor<2x8xf32>
}
