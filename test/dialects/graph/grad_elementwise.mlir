// RUN: shard-opt %s -split-input-file --training-differentiate --canonicalize | FileCheck %s

// Of the result where that will do: the operand is not kept.
// CHECK-LABEL: func @by_result
func.func @by_result(%w: tensor<f32> {graph.parameter = "w"}) -> tensor<f32> {
  // CHECK: %[[Y:.*]] = graph.unary tanh %arg0
  // CHECK: graph.binary mul %[[Y]], %[[Y]]
  // CHECK-NOT: graph.unary
  // CHECK: return
  %0 = graph.unary tanh %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// 0 at 0.
// CHECK-LABEL: func @relu
func.func @relu(%w: tensor<f32> {graph.parameter = "w"}) -> tensor<f32> {
  // CHECK: %[[Y:.*]] = graph.unary relu %arg0
  // CHECK: %[[P:.*]] = graph.compare gt %[[Y]], %{{.*}}
  // CHECK: graph.select %[[P]]
  %0 = graph.unary relu %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Narrow floats are computed in f32 and rounded once.
// CHECK-LABEL: func @narrow
func.func @narrow(%w: tensor<bf16> {graph.parameter = "w"}) -> tensor<bf16> {
  // CHECK: graph.unary silu %arg0 : tensor<bf16>
  // CHECK: %[[X:.*]] = graph.cast %arg0 : tensor<bf16> -> tensor<f32>
  // CHECK: graph.unary sigmoid %[[X]] : tensor<f32>
  // CHECK: %[[G:.*]] = graph.cast %{{.*}} : tensor<f32> -> tensor<bf16>
  // CHECK: return %{{.*}}, %[[G]]
  %0 = graph.unary silu %w : tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Equal operands get half each.
// CHECK-LABEL: func @ties
func.func @ties(%w: tensor<f32> {graph.parameter = "w"}, %x: tensor<f32>) -> tensor<f32> {
  // CHECK-DAG: %[[HALF:.*]] = graph.constant dense<5.000000e-01>
  // CHECK-DAG: %[[EQUAL:.*]] = graph.compare eq %arg0, %arg1
  // CHECK: graph.select %[[EQUAL]], %[[HALF]]
  // CHECK: graph.compare gt %arg0, %arg1
  %0 = graph.binary max %w, %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A gradient comes back in the operand's type; nothing comes back through integers.
// CHECK-LABEL: func @casts
func.func @casts(%w: tensor<f32> {graph.parameter = "w"}) -> tensor<bf16> {
  %0 = graph.cast %w : tensor<f32> -> tensor<i32>
  %1 = graph.cast %0 : tensor<i32> -> tensor<bf16>
  %2 = graph.cast %w : tensor<f32> -> tensor<bf16>
  // CHECK: %[[Y:.*]] = graph.binary add
  %3 = graph.binary add %1, %2 : tensor<bf16>
  // CHECK-NEXT: return %[[Y]], %{{.*}} : tensor<bf16>, tensor<f32>
  return %3 : tensor<bf16>
}
