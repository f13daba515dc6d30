// RUN: shard-opt %s | shard-opt | FileCheck %s
// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: shard-opt %s --graph-decompose | FileCheck %s --check-prefix=DECOMPOSE

// An active one is scaled in f32.
// CHECK-LABEL: func @active
// DECOMPOSE-LABEL: func @active
func.func @active(%w: tensor<4x8xbf16> {graph.parameter = "w"}, %step: tensor<i64>) -> tensor<bf16> {
  // CHECK: graph.dropout %{{.*}} ratio 2.000000e-01 seed 7 active counter %{{.*}} : tensor<4x8xbf16>
  // DECOMPOSE: %[[KEPT:.*]] = graph.random bernoulli seed 7 counter %{{.*}}(8.000000e-01, 0.000000e+00) : tensor<4x8xi1>
  // DECOMPOSE: %[[WIDE:.*]] = graph.cast %{{.*}} -> tensor<4x8xf32>
  // DECOMPOSE: graph.constant dense<1.250000e+00>
  // DECOMPOSE: %[[SCALED:.*]] = graph.binary mul %[[WIDE]]
  // DECOMPOSE: %[[NARROW:.*]] = graph.cast %[[SCALED]] : tensor<4x8xf32> -> tensor<4x8xbf16>
  // DECOMPOSE: graph.select %[[KEPT]], %[[NARROW]], %{{.*}} : tensor<4x8xi1>, tensor<4x8xbf16>
  %d = graph.dropout %w ratio 0.2 seed 7 active counter %step : tensor<4x8xbf16>
  %s = graph.reduce sum %d over [0, 1] : tensor<4x8xbf16>
  return %s : tensor<bf16>
}

// What is not active is its operand once nothing activates it any more.
// CHECK-LABEL: func @inactive
// FOLD-LABEL: func @inactive
// DECOMPOSE-LABEL: func @inactive
func.func @inactive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.dropout %{{.*}} ratio 2.000000e-01 seed 7 : tensor<4xf32>
  // FOLD: graph.dropout
  // DECOMPOSE-NEXT: return %arg0
  %d = graph.dropout %x ratio 0.2 seed 7 : tensor<4xf32>
  return %d : tensor<4xf32>
}

// FOLD-LABEL: func @nothing_drops_out
func.func @nothing_drops_out(%x: tensor<4xf32>) -> tensor<4xf32> {
  // FOLD-NEXT: return %arg0
  %d = graph.dropout %x ratio 0.0 seed 7 active : tensor<4xf32>
  return %d : tensor<4xf32>
}
