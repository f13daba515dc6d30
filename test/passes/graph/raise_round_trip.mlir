// Raising finds what decomposing writes.
// RUN: shard-opt %s --graph-decompose --canonicalize --graph-raise --canonicalize | FileCheck %s

// CHECK-LABEL: func @norms
func.func @norms(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  // CHECK: graph.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} axis 2 epsilon 9.99{{.*}}E-6
  %0 = graph.layer_norm %x scale %s bias %b axis 2 epsilon 1.0e-5
      : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: graph.rms_norm %{{.*}} scale %{{.*}} axis 2
  %1 = graph.rms_norm %0 scale %s axis 2 epsilon 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>
  // CHECK: graph.softmax %{{.*}} dim 1
  %2 = graph.softmax %1 dim 1 : tensor<2x4x8xf32>
  // CHECK: graph.log_softmax %{{.*}} dim 2
  %3 = graph.log_softmax %2 dim 2 : tensor<2x4x8xf32>
  return %3 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func @activations
func.func @activations(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.unary sigmoid
  %0 = graph.unary sigmoid %x : tensor<4xf32>
  // CHECK: graph.unary silu
  %1 = graph.unary silu %0 : tensor<4xf32>
  // CHECK: graph.unary gelu_erf
  %2 = graph.unary gelu_erf %1 : tensor<4xf32>
  // CHECK: graph.unary gelu_tanh
  %3 = graph.unary gelu_tanh %2 : tensor<4xf32>
  // CHECK: graph.unary softplus
  %4 = graph.unary softplus %3 : tensor<4xf32>
  // CHECK: graph.unary mish
  %5 = graph.unary mish %4 : tensor<4xf32>
  // CHECK-NEXT: return
  return %5 : tensor<4xf32>
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x10x16xf32>, %m: tensor<2x1x1x10xf32>)
    -> (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) {
  // CHECK: graph.attention %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} scale 2.500000e-01 causal
  %0 = graph.attention %q, %k, %k scale 0.25 causal
      : tensor<2x4x8x16xf32>, tensor<2x4x10x16xf32>, tensor<2x4x10x16xf32>
  // CHECK: graph.attention %{{.*}} mask %{{[^ ]*}} scale 2.500000e-01 {softcap = 3.000000e+01 : f64}
  %1 = graph.attention %q, %k, %k mask %m scale 0.25 {softcap = 30.0}
      : tensor<2x4x8x16xf32>, tensor<2x4x10x16xf32>, tensor<2x4x10x16xf32>, tensor<2x1x1x10xf32>
  return %0, %1 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
}

// CHECK-LABEL: func @rotary
func.func @rotary(%x: tensor<1x2x8x16xf32>, %c: tensor<1x1x8x4xf32>, %s: tensor<1x1x8x4xf32>)
    -> tensor<1x2x8x16xf32> {
  // CHECK: graph.rotary %arg0, %arg1, %arg2 :
  %0 = graph.rotary %x, %c, %s : tensor<1x2x8x16xf32>, tensor<1x1x8x4xf32>
  // CHECK: graph.rotary %{{.*}} interleaved
  // CHECK-NEXT: return
  %1 = graph.rotary %0, %c, %s interleaved : tensor<1x2x8x16xf32>, tensor<1x1x8x4xf32>
  return %1 : tensor<1x2x8x16xf32>
}
