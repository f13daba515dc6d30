// RUN: shard-opt %s --graph-raise | FileCheck %s

// NewGELU with Pow and constants in any order.
// CHECK-LABEL: func @gelu_tanh
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: graph.unary gelu_tanh %arg0
  // CHECK-NEXT: return
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %a = graph.constant dense<4.471500e-02> : tensor<4xf32>
  %b = graph.constant dense<0.797884583> : tensor<4xf32>
  %p = graph.binary pow %x, %three : tensor<4xf32>
  %ap = graph.binary mul %a, %p : tensor<4xf32>
  %s = graph.binary add %x, %ap : tensor<4xf32>
  %u = graph.binary mul %b, %s : tensor<4xf32>
  %t = graph.unary tanh %u : tensor<4xf32>
  %g = graph.binary add %one, %t : tensor<4xf32>
  %h = graph.binary mul %half, %x : tensor<4xf32>
  %y = graph.binary mul %h, %g : tensor<4xf32>
  return %y : tensor<4xf32>
}

// x * (1 + erf(x / sqrt 2)) / 2, where x is itself a product.
// CHECK-LABEL: func @gelu_erf
func.func @gelu_erf(%v: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[X:.*]] = graph.binary mul %arg0, %arg1
  // CHECK-NEXT: graph.unary gelu_erf %[[X]]
  // CHECK-NEXT: return
  %root = graph.constant dense<1.41421354> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %x = graph.binary mul %v, %w : tensor<4xf32>
  %d = graph.binary div %x, %root : tensor<4xf32>
  %e = graph.unary erf %d : tensor<4xf32>
  %g = graph.binary add %e, %one : tensor<4xf32>
  %m = graph.binary mul %x, %g : tensor<4xf32>
  %y = graph.binary div %m, %two : tensor<4xf32>
  return %y : tensor<4xf32>
}

// A constant that is not quite the right one is another function.
// CHECK-LABEL: func @not_gelu
func.func @not_gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: gelu
  %c = graph.constant dense<0.707> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %d = graph.binary mul %x, %c : tensor<4xf32>
  %e = graph.unary erf %d : tensor<4xf32>
  %g = graph.binary add %e, %one : tensor<4xf32>
  %m = graph.binary mul %x, %g : tensor<4xf32>
  %y = graph.binary mul %m, %half : tensor<4xf32>
  return %y : tensor<4xf32>
}

// log(1 + exp(x)) overflows where softplus does not; under the tanh of mish it does no harm.
// CHECK-LABEL: func @overflow
func.func @overflow(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[L:.*]] = graph.unary log %
  // CHECK: %[[M:.*]] = graph.unary mish %arg0
  // CHECK: return %[[L]], %[[M]]
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %e = graph.unary exp %x : tensor<4xf32>
  %s = graph.binary add %e, %one : tensor<4xf32>
  %l = graph.unary log %s : tensor<4xf32>
  %t = graph.unary tanh %l : tensor<4xf32>
  %m = graph.binary mul %x, %t : tensor<4xf32>
  return %l, %m : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @silu
func.func @silu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: graph.unary silu %arg0
  // CHECK-NEXT: graph.unary silu %arg0
  // CHECK-NEXT: return
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.unary neg %x : tensor<4xf32>
  %e = graph.unary exp %n : tensor<4xf32>
  %d = graph.binary add %one, %e : tensor<4xf32>
  %y = graph.binary div %x, %d : tensor<4xf32>
  %s = graph.unary sigmoid %x : tensor<4xf32>
  %z = graph.binary mul %s, %x : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
