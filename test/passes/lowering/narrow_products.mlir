// RUN: shard-opt %s --lowering-narrow-products --canonicalize | FileCheck %s

// Two factors times one number each; what is contracted becomes innermost in both.
// CHECK-LABEL: func @scaled
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x32xf8E4M3FN>, %[[W:.*]]: tensor<32x48xf8E5M2>, %[[S:.*]]: tensor<f32>)
func.func @scaled(%x: tensor<2x4x32xf8E4M3FN>, %w: tensor<32x48xf8E5M2>, %s: tensor<f32>) -> tensor<2x4x48xf32> {
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<2.500000e-01> : tensor<1xf32>
  // CHECK-DAG: %[[T:.*]] = graph.transpose %[[W]] by [1, 0] : tensor<32x48xf8E5M2>
  // CHECK-DAG: %[[R:.*]] = graph.reshape %[[S]] : tensor<f32> -> tensor<1xf32>
  // CHECK: exec.apply "contract"(%[[X]], %[[T]], %[[C]], %[[R]]) with
  // CHECK-SAME: has_lhs_scale = true, has_rhs_scale = true, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>
  // CHECK-NOT: graph.cast
  %c = graph.constant dense<2.500000e-01> : tensor<2x4x32xf32>
  %xw = graph.cast %x : tensor<2x4x32xf8E4M3FN> -> tensor<2x4x32xf32>
  %xs = graph.binary mul %c, %xw : tensor<2x4x32xf32>
  %ww = graph.cast %w : tensor<32x48xf8E5M2> -> tensor<32x48xf32>
  %sb = graph.broadcast %s to [] : tensor<f32> -> tensor<32x48xf32>
  %ws = graph.binary mul %ww, %sb : tensor<32x48xf32>
  %y = graph.contract %xs, %ws batch [] x [] over [2] x [0] : (tensor<2x4x32xf32>, tensor<32x48xf32>) -> tensor<2x4x48xf32>
  return %y : tensor<2x4x48xf32>
}

// A weight of the model's file is moved once: by a call, which "prepare" takes.
// CHECK-LABEL: func @weight
func.func @weight(%x: tensor<4x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN> {graph.parameter = "w"}) -> tensor<4x48xf32> {
  // CHECK: %[[T:.*]] = graph.transpose %arg1 by [1, 0]
  // CHECK: %[[C:.*]] = exec.apply "copy"(%[[T]])
  // CHECK: exec.apply "contract"(%arg0, %[[C]])
  %xw = graph.cast %x : tensor<4x32xf8E4M3FN> -> tensor<4x32xf32>
  %ww = graph.cast %w : tensor<32x48xf8E4M3FN> -> tensor<32x48xf32>
  %y = graph.contract %xw, %ww batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  return %y : tensor<4x48xf32>
}

// Without numbers there are no scales; a factor that lies right stays where it is.
// CHECK-LABEL: func @plain
func.func @plain(%x: tensor<4x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>) -> tensor<4x48xbf16> {
  // CHECK: exec.apply "contract"(%arg0, %arg1) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
  %xw = graph.cast %x : tensor<4x32xf8E4M3FN> -> tensor<4x32xbf16>
  %ww = graph.cast %w : tensor<48x32xf8E4M3FN> -> tensor<48x32xbf16>
  %y = graph.contract %xw, %ww batch [] x [] over [1] x [1] : (tensor<4x32xbf16>, tensor<48x32xbf16>) -> tensor<4x48xbf16>
  return %y : tensor<4x48xbf16>
}

// Movement between number and product is done to the narrow tensor, and roundings in between are left out.
// CHECK-LABEL: func @moved
func.func @moved(%x: tensor<2x4x32xf8E4M3FN>, %w: tensor<2x32x48xf8E4M3FN>, %s: tensor<1xbf16>) -> tensor<2x4x48xbf16> {
  // CHECK-DAG: %[[S:.*]] = graph.cast %arg2 : tensor<1xbf16> -> tensor<1xf32>
  // CHECK-DAG: %[[T:.*]] = graph.transpose %arg1 by [0, 2, 1]
  // CHECK: exec.apply "contract"(%arg0, %[[T]], %[[S]]) with
  // CHECK-SAME: has_rhs_scale = true, lhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 2>
  %xw = graph.cast %x : tensor<2x4x32xf8E4M3FN> -> tensor<2x4x32xbf16>
  %ww = graph.cast %w : tensor<2x32x48xf8E4M3FN> -> tensor<2x32x48xf32>
  %sw = graph.cast %s : tensor<1xbf16> -> tensor<1xf32>
  %r = graph.reshape %sw : tensor<1xf32> -> tensor<f32>
  %sb = graph.broadcast %r to [] : tensor<f32> -> tensor<2x32x48xf32>
  %ws = graph.binary mul %ww, %sb : tensor<2x32x48xf32>
  %t = graph.transpose %ws by [0, 2, 1] : tensor<2x32x48xf32>
  %n = graph.cast %t : tensor<2x48x32xf32> -> tensor<2x48x32xbf16>
  %y = graph.contract %xw, %n batch [0] x [0] over [2] x [2] : (tensor<2x4x32xbf16>, tensor<2x48x32xbf16>) -> tensor<2x4x48xbf16>
  return %y : tensor<2x4x48xbf16>
}

// The library has no product of two e5m2.
// CHECK-LABEL: func @two_e5m2
func.func @two_e5m2(%x: tensor<4x32xf8E5M2>, %w: tensor<32x48xf8E5M2>) -> tensor<4x48xf32> {
  // CHECK: graph.contract
  %xw = graph.cast %x : tensor<4x32xf8E5M2> -> tensor<4x32xf32>
  %ww = graph.cast %w : tensor<32x48xf8E5M2> -> tensor<32x48xf32>
  %y = graph.contract %xw, %ww batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  return %y : tensor<4x48xf32>
}

// Rows of whole 16 bytes: neither n nor k may be odd.
// CHECK-LABEL: func @odd_extents
func.func @odd_extents(%x: tensor<4x32xf8E4M3FN>, %w: tensor<32x40xf8E4M3FN>, %u: tensor<4x24xf8E4M3FN>, %v: tensor<24x48xf8E4M3FN>) -> (tensor<4x40xf32>, tensor<4x48xf32>) {
  // CHECK-COUNT-2: graph.contract
  %xw = graph.cast %x : tensor<4x32xf8E4M3FN> -> tensor<4x32xf32>
  %ww = graph.cast %w : tensor<32x40xf8E4M3FN> -> tensor<32x40xf32>
  %uw = graph.cast %u : tensor<4x24xf8E4M3FN> -> tensor<4x24xf32>
  %vw = graph.cast %v : tensor<24x48xf8E4M3FN> -> tensor<24x48xf32>
  %y = graph.contract %xw, %ww batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32>
  %z = graph.contract %uw, %vw batch [] x [] over [1] x [0] : (tensor<4x24xf32>, tensor<24x48xf32>) -> tensor<4x48xf32>
  return %y, %z : tensor<4x40xf32>, tensor<4x48xf32>
}

// A number per row or column is no scale; nor is a second number, or a factor that was never narrow.
// CHECK-LABEL: func @other_factors
func.func @other_factors(%x: tensor<4x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>, %v: tensor<48xf32>, %s: tensor<1xf32>, %t: tensor<1xf32>, %f: tensor<32x48xf32>, %z: tensor<32x48xf8E4M3FNUZ>) -> (tensor<4x48xf32>, tensor<4x48xf32>, tensor<4x48xf32>, tensor<4x48xf32>) {
  // CHECK-COUNT-4: graph.contract
  %xw = graph.cast %x : tensor<4x32xf8E4M3FN> -> tensor<4x32xf32>
  %ww = graph.cast %w : tensor<32x48xf8E4M3FN> -> tensor<32x48xf32>
  %vb = graph.broadcast %v to [1] : tensor<48xf32> -> tensor<32x48xf32>
  %wv = graph.binary mul %ww, %vb : tensor<32x48xf32>
  %sb = graph.broadcast %s to [0] : tensor<1xf32> -> tensor<32x48xf32>
  %tb = graph.broadcast %t to [0] : tensor<1xf32> -> tensor<32x48xf32>
  %ws = graph.binary mul %ww, %sb : tensor<32x48xf32>
  %wst = graph.binary mul %ws, %tb : tensor<32x48xf32>
  %zw = graph.cast %z : tensor<32x48xf8E4M3FNUZ> -> tensor<32x48xf32>
  %a = graph.contract %xw, %wv batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  %b = graph.contract %xw, %wst batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  %c = graph.contract %xw, %f batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  %d = graph.contract %xw, %zw batch [] x [] over [1] x [0] : (tensor<4x32xf32>, tensor<32x48xf32>) -> tensor<4x48xf32>
  return %a, %b, %c, %d : tensor<4x48xf32>, tensor<4x48xf32>, tensor<4x48xf32>, tensor<4x48xf32>
}
