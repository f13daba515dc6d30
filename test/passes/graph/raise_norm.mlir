// RUN: shard-opt %s --graph-raise | FileCheck %s

// Layer norm in nine primitives: Pow, ReduceMean as a product with 1/n, keepdims, Div by Sqrt.
// CHECK-LABEL: func @layer_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
func.func @layer_norm(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.layer_norm %[[X]] scale %[[S]] bias %[[B]] axis 2 epsilon 9.9999{{[0-9]*}}E-6
  // CHECK-NEXT: return %[[Y]]
  %eighth = graph.constant dense<0.125> : tensor<2x4x1xf32>
  %two = graph.constant dense<2.0> : tensor<2x4x8xf32>
  %eps = graph.constant dense<1.0e-5> : tensor<2x4x1xf32>
  %sum = graph.reduce sum %x over [2] : tensor<2x4x8xf32>
  %sum1 = graph.reshape %sum : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %mean = graph.binary mul %sum1, %eighth : tensor<2x4x1xf32>
  %mean1 = graph.broadcast %mean to [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %c = graph.binary sub %x, %mean1 : tensor<2x4x8xf32>
  %p = graph.binary pow %c, %two : tensor<2x4x8xf32>
  %psum = graph.reduce sum %p over [2] : tensor<2x4x8xf32>
  %psum1 = graph.reshape %psum : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %var = graph.binary mul %psum1, %eighth : tensor<2x4x1xf32>
  %vareps = graph.binary add %var, %eps : tensor<2x4x1xf32>
  %std = graph.unary sqrt %vareps : tensor<2x4x1xf32>
  %std1 = graph.broadcast %std to [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %n = graph.binary div %c, %std1 : tensor<2x4x8xf32>
  %s1 = graph.broadcast %s to [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %ns = graph.binary mul %n, %s1 : tensor<2x4x8xf32>
  %b1 = graph.broadcast %b to [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %y = graph.binary add %ns, %b1 : tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// Rms norm with 1 / sqrt, and the scale on the left.
// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: graph.rms_norm %arg0 scale %arg1 axis 1
  // CHECK-NEXT: return
  %n = graph.constant dense<8.0> : tensor<4xf32>
  %eps = graph.constant dense<1.0e-6> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %p = graph.binary mul %x, %x : tensor<4x8xf32>
  %sum = graph.reduce sum %p over [1] : tensor<4x8xf32>
  %mean = graph.binary div %sum, %n : tensor<4xf32>
  %m = graph.binary add %eps, %mean : tensor<4xf32>
  %r = graph.unary sqrt %m : tensor<4xf32>
  %i = graph.binary div %one, %r : tensor<4xf32>
  %i1 = graph.broadcast %i to [0] : tensor<4xf32> -> tensor<4x8xf32>
  %q = graph.binary mul %i1, %x : tensor<4x8xf32>
  %s1 = graph.broadcast %s to [1] : tensor<8xf32> -> tensor<4x8xf32>
  %y = graph.binary mul %s1, %q : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A sum divided by n - 1 is no mean, and a sum over the rows' dim is another norm.
// CHECK-LABEL: func @not_a_mean
func.func @not_a_mean(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NOT: graph.rms_norm
  %n = graph.constant dense<7.0> : tensor<8xf32>
  %n8 = graph.constant dense<8.0> : tensor<8xf32>
  %p = graph.binary mul %x, %x : tensor<8x8xf32>
  %sum = graph.reduce sum %p over [1] : tensor<8x8xf32>
  %mean = graph.binary div %sum, %n : tensor<8xf32>
  %r = graph.unary rsqrt %mean : tensor<8xf32>
  %r1 = graph.broadcast %r to [0] : tensor<8xf32> -> tensor<8x8xf32>
  %y = graph.binary mul %x, %r1 : tensor<8x8xf32>
  %mean8 = graph.binary div %sum, %n8 : tensor<8xf32>
  %t = graph.unary rsqrt %mean8 : tensor<8xf32>
  %t1 = graph.broadcast %t to [1] : tensor<8xf32> -> tensor<8x8xf32>
  %z = graph.binary mul %x, %t1 : tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}
