// RUN: shard-opt %s -split-input-file --training-differentiate=output=0 | FileCheck %s
// RUN: shard-opt %s -split-input-file --training-differentiate=output=0 -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=NODE

// Parameters only, named after them; what the loss does not depend on has zeros.
// CHECK-LABEL: func @parameters
// CHECK-SAME: -> (tensor<f32> {graph.output = "loss"}, tensor<4xf32> {graph.output = "w.grad"}, tensor<2xbf16> {graph.output = "unused.grad"})
func.func @parameters(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.parameter = "w"},
    %unused: tensor<2xbf16> {graph.parameter = "unused"}, %steps: tensor<i64> {graph.parameter = "steps"})
    -> (tensor<f32> {graph.output = "loss"}) {
  // CHECK: %[[LOSS:.*]] = graph.reduce sum
  // CHECK: %[[ONE:.*]] = graph.constant dense<1.0{{.*}}> : tensor<f32>
  // CHECK: %[[G:.*]] = graph.broadcast %[[ONE]] to [] : tensor<f32> -> tensor<4xf32>
  // CHECK-NEXT: %[[W:.*]] = graph.binary mul %[[G]], %arg0
  // CHECK-NEXT: %[[ZERO:.*]] = graph.constant dense<0.0{{.*}}> : tensor<2xbf16>
  // CHECK-NEXT: return %[[LOSS]], %[[W]], %[[ZERO]]
  %0 = graph.binary mul %x, %w : tensor<4xf32>
  %1 = graph.reduce sum %0 over [0] : tensor<4xf32>
  return %1 : tensor<f32>
}

// -----

// A value with several uses gets the sum of their gradients, from the last use to the first; each op is
// visited once.
// CHECK-LABEL: func @shared
func.func @shared(%w: tensor<f32> {graph.parameter = "w"}) -> tensor<f32> {
  // CHECK: %[[S:.*]] = graph.unary sin %arg0
  // CHECK: %[[E:.*]] = graph.unary exp %[[S]]
  // CHECK: graph.binary mul %[[E]], %[[S]]
  // CHECK: %[[ONE:.*]] = graph.constant
  // CHECK: %[[TO_E:.*]] = graph.binary mul %[[ONE]], %[[S]]
  // CHECK: %[[LAST:.*]] = graph.binary mul %[[ONE]], %[[E]]
  // CHECK: %[[FIRST:.*]] = graph.binary mul %[[TO_E]], %[[E]]
  // CHECK: %[[SUM:.*]] = graph.binary add %[[LAST]], %[[FIRST]]
  // CHECK: %[[COS:.*]] = graph.unary cos %arg0
  // CHECK: graph.binary mul %[[SUM]], %[[COS]]
  // CHECK-NOT: graph.unary cos
  %0 = graph.unary sin %w : tensor<f32>
  %1 = graph.unary exp %0 : tensor<f32>
  %2 = graph.binary mul %1, %0 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// More than two narrow gradients are added up in f32 and rounded once.
// CHECK-LABEL: func @narrow_sum
func.func @narrow_sum(%w: tensor<bf16> {graph.parameter = "w"}) -> tensor<bf16> {
  // CHECK: %[[ONE:.*]] = graph.constant
  // CHECK: graph.binary add %{{.*}} : tensor<f32>
  // CHECK: %[[SUM:.*]] = graph.binary add %{{.*}} : tensor<f32>
  // CHECK: %[[G:.*]] = graph.cast %[[SUM]] : tensor<f32> -> tensor<bf16>
  // CHECK: return %{{.*}}, %[[G]]
  %0 = graph.binary add %w, %w : tensor<bf16>
  %1 = graph.binary add %0, %w : tensor<bf16>
  return %1 : tensor<bf16>
}

// -----

// Nothing is left for inputs, constants and values that do not reach the loss.
// CHECK-LABEL: func @dead
func.func @dead(%x: tensor<4x3xf32>, %w: tensor<3xf32> {graph.parameter = "w"})
    -> (tensor<f32>, tensor<4x3xf32>) {
  %c = graph.constant dense<2.0> : tensor<4x3xf32>
  // CHECK: graph.binary pow
  %0 = graph.binary pow %x, %c : tensor<4x3xf32>
  %1 = graph.broadcast %w to [1] : tensor<3xf32> -> tensor<4x3xf32>
  %2 = graph.binary mul %0, %1 : tensor<4x3xf32>
  // CHECK: %[[SIDE:.*]] = graph.unary tanh
  %3 = graph.unary tanh %2 : tensor<4x3xf32>
  // CHECK: %[[LOSS:.*]] = graph.reduce sum
  %4 = graph.reduce sum %2 over [0, 1] : tensor<4x3xf32>
  // CHECK-NEXT: graph.constant
  // CHECK-NEXT: graph.broadcast
  // CHECK-NEXT: graph.binary mul
  // CHECK-NEXT: %[[W:.*]] = graph.reduce sum %{{.*}} over [0]
  // CHECK-NEXT: return %[[LOSS]], %[[SIDE]], %[[W]]
  return %4, %3 : tensor<f32>, tensor<4x3xf32>
}

// -----

// What only jumps stops gradients; the rest goes on.
// CHECK-LABEL: func @stops
func.func @stops(%w: tensor<3xf32> {graph.parameter = "w"}) -> tensor<f32> {
  %0 = graph.unary floor %w : tensor<3xf32>
  %1 = graph.compare gt %w, %0 : tensor<3xf32>
  %2 = graph.select %1, %0, %w : tensor<3xi1>, tensor<3xf32>
  %3 = graph.arg_reduce max %w dim 0 : tensor<3xf32>
  %4 = graph.gather %2, %3 dim 0 batch 0 : tensor<3xf32>, tensor<i64>
  // CHECK: return %[[LOSS:.*]] : tensor<f32>
  return %4 : tensor<f32>
}

// -----

// The gradient of a node is named after it.
// NODE-LABEL: func @named
func.func @named(%w: tensor<f32> {graph.parameter = "w"}) -> tensor<f32> {
  // NODE: graph.unary sin {{.*}} loc("/layer/Sin")
  // NODE: graph.unary cos {{.*}} loc("gradient of /layer/Sin")
  %0 = graph.unary sin %w : tensor<f32> loc("/layer/Sin")
  return %0 : tensor<f32>
}

// -----

// Annotations hold for gradients too; barriers the other way.
dist.mesh @m <["a"=2]>
// CHECK-LABEL: func @annotated
func.func @annotated(%w: tensor<4xf32> {graph.parameter = "w"}) -> tensor<f32> {
  // CHECK: graph.reduce
  // CHECK: %[[G:.*]] = graph.broadcast
  // CHECK-NEXT: %[[B:.*]] = dist.barrier %[[G]] allow backward
  // CHECK-NEXT: dist.constraint %[[B]] <@m, [{"a"}]>
  %0 = dist.constraint %w <@m, [{"a"}]> : tensor<4xf32>
  %1 = dist.barrier %0 allow forward : tensor<4xf32>
  %2 = graph.reduce sum %1 over [0] : tensor<4xf32>
  return %2 : tensor<f32>
}

// -----

// An op that has no gradient of its own has that of its decomposition.
// CHECK-LABEL: func @second_order
// CHECK: %[[P:.*]] = graph.softmax
// CHECK: %[[G:.*]] = graph.contract
// CHECK: return %{{.*}}, %{{.*}} : tensor<f32>, tensor<1x1x2x3xf32>
func.func @second_order(%q: tensor<1x1x2x3xf32> {graph.parameter = "q"}, %k: tensor<1x1x4x3xf32>) -> tensor<f32> {
  %0:3 = graph.attention_grad %q, %k, %k, %q scale 0.5
      : tensor<1x1x2x3xf32>, tensor<1x1x4x3xf32>, tensor<1x1x4x3xf32>, tensor<1x1x2x3xf32>
  %1 = graph.reduce sum %0#1 over [0, 1, 2, 3] : tensor<1x1x4x3xf32>
  return %1 : tensor<f32>
}
