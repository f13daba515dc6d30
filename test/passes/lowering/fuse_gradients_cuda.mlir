// RUN: shard-opt %s --lowering-legalize --lowering-fuse-epilogues=device=cuda | FileCheck %s
// RUN: shard-opt %s --lowering-legalize --lowering-fuse-epilogues | FileCheck %s --check-prefix=HOST

// Processors do it in clusters.
// HOST-NOT: sums =

// The gradient of a bias comes with that of the weight. The transpose of it is a product, too, so the gradient is its rhs.
// CHECK-LABEL: func @linear
func.func @linear(%x: tensor<16x5xf32>, %gy: tensor<16x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  // CHECK: %[[G:.*]]:2 = exec.apply "contract"(%arg0, %arg1) with
  // CHECK-SAME: lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>, sums = "rhs"
  // CHECK-SAME: -> (tensor<5x7xf32>, tensor<7xf32>)
  // CHECK-NEXT: return %[[G]]#1, %[[G]]#0
  %gb = graph.reduce sum %gy over [0] : tensor<16x7xf32>
  %gw = graph.contract %gy, %x batch [] x [] over [0] x [0] : (tensor<16x7xf32>, tensor<16x5xf32>) -> tensor<7x5xf32>
  %t = graph.transpose %gw by [1, 0] : tensor<7x5xf32>
  return %gb, %t : tensor<7xf32>, tensor<5x7xf32>
}

// A weight that is stored as [out, in]; the rows have another shape in each place.
// CHECK-LABEL: func @reshaped
func.func @reshaped(%x: tensor<16x5xbf16>, %gy: tensor<2x8x7xbf16>) -> (tensor<1x7xbf16>, tensor<7x5xbf16>) {
  // CHECK: %[[G:.*]]:2 = exec.apply "contract"(%{{.*}}, %arg0) with {{.*}} sums = "lhs"
  // CHECK: %[[B:.*]] = graph.reshape %[[G]]#1 : tensor<7xbf16> -> tensor<1x7xbf16>
  // CHECK: return %[[B]], %[[G]]#0
  %gb = graph.reduce sum %gy over [0, 1] : tensor<2x8x7xbf16>
  %row = graph.reshape %gb : tensor<7xbf16> -> tensor<1x7xbf16>
  %rows = graph.reshape %gy : tensor<2x8x7xbf16> -> tensor<16x7xbf16>
  %gw = graph.contract %rows, %x batch [] x [] over [0] x [0] : (tensor<16x7xbf16>, tensor<16x5xbf16>) -> tensor<7x5xbf16>
  return %row, %gw : tensor<1x7xbf16>, tensor<7x5xbf16>
}

// What reads the sums comes before the product: that moves up to them.
// CHECK-LABEL: func @early
func.func @early(%x: tensor<16x5xf32>, %gy: tensor<16x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  // CHECK: %[[G:.*]]:2 = exec.apply "contract"
  // CHECK: graph.unary exp %[[G]]#1
  %gb = graph.reduce sum %gy over [0] : tensor<16x7xf32>
  %e = graph.unary exp %gb : tensor<7xf32>
  %gw = graph.contract %x, %gy batch [] x [] over [0] x [0] : (tensor<16x5xf32>, tensor<16x7xf32>) -> tensor<5x7xf32>
  return %e, %gw : tensor<7xf32>, tensor<5x7xf32>
}

// Unless it depends on them.
// CHECK-LABEL: func @depends
func.func @depends(%gy: tensor<16x7xf32>) -> (tensor<7x7xf32>) {
  // CHECK: graph.reduce sum
  // CHECK-NOT: sums =
  %gb = graph.reduce sum %gy over [0] : tensor<16x7xf32>
  %wide = graph.broadcast %gb to [1] : tensor<7xf32> -> tensor<16x7xf32>
  %gw = graph.contract %wide, %gy batch [] x [] over [0] x [0] : (tensor<16x7xf32>, tensor<16x7xf32>) -> tensor<7x7xf32>
  return %gw : tensor<7x7xf32>
}

// Micro-batches add up products as they are stored, and sums outside: the library only writes these.
// CHECK-LABEL: func @accumulated
func.func @accumulated(%x: tensor<16x5xf32>, %gy: tensor<16x7xf32>, %w: tensor<5x7xf32>, %b: tensor<7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  // CHECK: %[[G:.*]]:2 = exec.apply "contract"(%arg0, %arg1, %arg2) with {has_addend = true, {{.*}}sums = "rhs"
  // CHECK: %[[B:.*]] = graph.binary add %arg3, %[[G]]#1
  // CHECK: return %[[B]], %[[G]]#0
  %gb = graph.reduce sum %gy over [0] : tensor<16x7xf32>
  %gw = graph.contract %gy, %x batch [] x [] over [0] x [0] : (tensor<16x7xf32>, tensor<16x5xf32>) -> tensor<7x5xf32>
  %t = graph.transpose %gw by [1, 0] : tensor<7x5xf32>
  %sw = graph.binary add %w, %t : tensor<5x7xf32>
  %sb = graph.binary add %b, %gb : tensor<7xf32>
  return %sb, %sw : tensor<7xf32>, tensor<5x7xf32>
}

// Not sums of other dims than the product contracts, in f64, of a batch, nor where alpha could be meant to scale them.
// CHECK-LABEL: func @no_sums
func.func @no_sums(%x: tensor<16x5xf32>, %gy: tensor<16x7xf32>, %xd: tensor<16x5xf64>, %gd: tensor<16x7xf64>,
    %xb: tensor<2x16x5xf32>, %gb: tensor<2x16x7xf32>)
    -> (tensor<16xf32>, tensor<5x7xf32>, tensor<7xf64>, tensor<5x7xf64>, tensor<16x7xf32>, tensor<2x5x7xf32>, tensor<7xf32>, tensor<5x7xf32>) {
  // CHECK-NOT: sums =
  // CHECK: return
  %s0 = graph.reduce sum %gy over [1] : tensor<16x7xf32>
  %w0 = graph.contract %x, %gy batch [] x [] over [0] x [0] : (tensor<16x5xf32>, tensor<16x7xf32>) -> tensor<5x7xf32>
  %s1 = graph.reduce sum %gd over [0] : tensor<16x7xf64>
  %w1 = graph.contract %xd, %gd batch [] x [] over [0] x [0] : (tensor<16x5xf64>, tensor<16x7xf64>) -> tensor<5x7xf64>
  %s2 = graph.reduce sum %gb over [0] : tensor<2x16x7xf32>
  %w2 = graph.contract %xb, %gb batch [0] x [0] over [1] x [1] : (tensor<2x16x5xf32>, tensor<2x16x7xf32>) -> tensor<2x5x7xf32>
  %e = graph.unary exp %gy : tensor<16x7xf32>
  %s3 = graph.reduce sum %e over [0] : tensor<16x7xf32>
  %w3 = graph.contract %x, %e batch [] x [] over [0] x [0] : (tensor<16x5xf32>, tensor<16x7xf32>) -> tensor<5x7xf32>
  %half = graph.constant dense<0.5> : tensor<5x7xf32>
  %w4 = graph.binary mul %w3, %half : tensor<5x7xf32>
  return %s0, %w0, %s1, %w1, %s2, %w2, %s3, %w4 : tensor<16xf32>, tensor<5x7xf32>, tensor<7xf64>, tensor<5x7xf64>, tensor<16x7xf32>, tensor<2x5x7xf32>, tensor<7xf32>, tensor<5x7xf32>
}

// The derivative of gelu_tanh, spelled in another way than a gradient's.
// CHECK-LABEL: func @derivative
func.func @derivative(%x: tensor<16x5xbf16>, %w: tensor<5x8xbf16>, %p: tensor<16x8xbf16>) -> tensor<16x8xbf16> {
  // CHECK: %[[G:.*]] = exec.apply "contract"(%arg0, %arg1, %arg2) with {derivative = "gelu_tanh"
  // CHECK-NEXT: return %[[G]]
  %g = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xbf16>, tensor<5x8xbf16>) -> tensor<16x8xbf16>
  %gf = graph.cast %g : tensor<16x8xbf16> -> tensor<16x8xf32>
  %pf = graph.cast %p : tensor<16x8xbf16> -> tensor<16x8xf32>
  %one = graph.constant dense<1.0> : tensor<16x8xf32>
  %half = graph.constant dense<0.5> : tensor<16x8xf32>
  %c = graph.constant dense<0.797884583> : tensor<16x8xf32>
  %a = graph.constant dense<0.044715> : tensor<16x8xf32>
  %a3 = graph.constant dense<0.134145> : tensor<16x8xf32>
  %xx = graph.binary mul %pf, %pf : tensor<16x8xf32>
  %ax = graph.binary mul %xx, %a : tensor<16x8xf32>
  %in = graph.binary add %ax, %one : tensor<16x8xf32>
  %u = graph.binary mul %in, %pf : tensor<16x8xf32>
  %cu = graph.binary mul %u, %c : tensor<16x8xf32>
  %t = graph.unary tanh %cu : tensor<16x8xf32>
  %tt = graph.binary mul %t, %t : tensor<16x8xf32>
  %s = graph.binary sub %one, %tt : tensor<16x8xf32>
  %bx = graph.binary mul %xx, %a3 : tensor<16x8xf32>
  %bi = graph.binary add %bx, %one : tensor<16x8xf32>
  %bc = graph.binary mul %bi, %c : tensor<16x8xf32>
  %sx = graph.binary mul %s, %pf : tensor<16x8xf32>
  %sl = graph.binary mul %sx, %bc : tensor<16x8xf32>
  %t1 = graph.binary add %t, %one : tensor<16x8xf32>
  %sum = graph.binary add %t1, %sl : tensor<16x8xf32>
  %d = graph.binary mul %sum, %half : tensor<16x8xf32>
  %m = graph.binary mul %d, %gf : tensor<16x8xf32>
  %r = graph.cast %m : tensor<16x8xf32> -> tensor<16x8xbf16>
  return %r : tensor<16x8xbf16>
}

// Of gelu_tanh with a constant that is not quite right: something else.
// CHECK-LABEL: func @nearly
func.func @nearly(%x: tensor<16x5xbf16>, %w: tensor<5x8xbf16>, %p: tensor<16x8xbf16>) -> tensor<16x8xbf16> {
  // CHECK-NOT: derivative =
  // CHECK: return
  %g = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xbf16>, tensor<5x8xbf16>) -> tensor<16x8xbf16>
  %gf = graph.cast %g : tensor<16x8xbf16> -> tensor<16x8xf32>
  %pf = graph.cast %p : tensor<16x8xbf16> -> tensor<16x8xf32>
  %one = graph.constant dense<1.0> : tensor<16x8xf32>
  %half = graph.constant dense<0.5> : tensor<16x8xf32>
  %c = graph.constant dense<0.797884583> : tensor<16x8xf32>
  %a = graph.constant dense<0.0448> : tensor<16x8xf32>
  %a3 = graph.constant dense<0.1344> : tensor<16x8xf32>
  %xx = graph.binary mul %pf, %pf : tensor<16x8xf32>
  %ax = graph.binary mul %xx, %a : tensor<16x8xf32>
  %in = graph.binary add %ax, %one : tensor<16x8xf32>
  %u = graph.binary mul %in, %pf : tensor<16x8xf32>
  %cu = graph.binary mul %u, %c : tensor<16x8xf32>
  %t = graph.unary tanh %cu : tensor<16x8xf32>
  %tt = graph.binary mul %t, %t : tensor<16x8xf32>
  %s = graph.binary sub %one, %tt : tensor<16x8xf32>
  %bx = graph.binary mul %xx, %a3 : tensor<16x8xf32>
  %bi = graph.binary add %bx, %one : tensor<16x8xf32>
  %bc = graph.binary mul %bi, %c : tensor<16x8xf32>
  %sx = graph.binary mul %s, %pf : tensor<16x8xf32>
  %sl = graph.binary mul %sx, %bc : tensor<16x8xf32>
  %t1 = graph.binary add %t, %one : tensor<16x8xf32>
  %sum = graph.binary add %t1, %sl : tensor<16x8xf32>
  %d = graph.binary mul %sum, %half : tensor<16x8xf32>
  %m = graph.binary mul %d, %gf : tensor<16x8xf32>
  %r = graph.cast %m : tensor<16x8xf32> -> tensor<16x8xbf16>
  return %r : tensor<16x8xbf16>
}
