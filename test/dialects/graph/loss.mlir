// RUN: shard-opt %s | shard-opt | FileCheck %s

// The loss of narrow logits is f32.
// CHECK-LABEL: func @forms
func.func @forms(%x: tensor<4x8xbf16>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // CHECK: graph.cross_entropy %{{.*}} ignore -100 {labelSmoothing = 1.000000e-01 : f64}
  %l = graph.cross_entropy %x, %t ignore -100 {labelSmoothing = 0.1} : tensor<4x8xbf16>, tensor<4xi64>
  return %l : tensor<4xf32>
}
