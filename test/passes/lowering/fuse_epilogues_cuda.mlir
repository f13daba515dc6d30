// RUN: shard-opt %s --lowering-legalize --lowering-fuse-epilogues=device=cuda | FileCheck %s
// RUN: shard-opt %s --lowering-legalize="device=cuda allow-tf32=true" --lowering-fuse-epilogues=device=cuda | FileCheck %s --check-prefix=TF32

// cuBLASLt has gelu_tanh after a contraction, whatever shape it is applied in.
// CHECK-LABEL: func @gelu_tanh
func.func @gelu_tanh(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %b: tensor<3xbf16>) -> tensor<2x2x3xbf16> {
  // CHECK: %[[Y:.*]] = exec.apply "contract"(%arg0, %arg1, %arg2) with
  // CHECK-SAME: activation = "gelu_tanh", has_bias = true
  // CHECK: %[[R:.*]] = graph.reshape %[[Y]]
  // CHECK: return %[[R]]
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %wide = graph.broadcast %b to [1] : tensor<3xbf16> -> tensor<4x3xbf16>
  %s = graph.binary add %wide, %c : tensor<4x3xbf16>
  %r = graph.reshape %s : tensor<4x3xbf16> -> tensor<2x2x3xbf16>
  %y = graph.unary gelu_tanh %r : tensor<2x2x3xbf16>
  return %y : tensor<2x2x3xbf16>
}

// Its tanh is not good enough for f32, unless that is rounded anyway.
// CHECK-LABEL: func @gelu_tanh_f32
// TF32-LABEL: func @gelu_tanh_f32
func.func @gelu_tanh_f32(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  // CHECK-NOT: activation
  // CHECK: graph.unary gelu_tanh
  // TF32: activation = "gelu_tanh"
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %y = graph.unary gelu_tanh %c : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Others are left to a kernel.
// CHECK-LABEL: func @silu
func.func @silu(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  // CHECK: exec.apply "contract"
  // CHECK-NOT: activation
  // CHECK: graph.unary silu
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %y = graph.unary silu %c : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Gradients of micro-batches are added up as they are stored.
// CHECK-LABEL: func @accumulated
func.func @accumulated(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %before: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[FIRST:.*]] = exec.apply "contract"(%arg0, %arg1, %arg2) with
  // CHECK-SAME: has_addend = true
  // CHECK: exec.apply "contract"(%arg0, %arg1, %[[FIRST]]) with
  // CHECK-SAME: has_addend = true
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %s = graph.binary add %before, %c : tensor<4x3xf32>
  %d = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %y = graph.binary add %s, %d : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A residual goes with what follows it.
// CHECK-LABEL: func @residual
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %before: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: exec.apply "contract"(%arg0, %arg1) with
  // CHECK-NOT: has_addend
  // CHECK: graph.binary add
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %s = graph.binary add %before, %c : tensor<4x3xf32>
  %y = graph.unary exp %s : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// cuBLASLt's gelu is not of f64.
// CHECK-LABEL: func @gelu_tanh_f64
func.func @gelu_tanh_f64(%x: tensor<4x8xf64>, %w: tensor<8x3xf64>) -> tensor<4x3xf64> {
  // CHECK: exec.apply "contract"
  // CHECK-NOT: activation
  // CHECK: graph.unary gelu_tanh
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf64>, tensor<8x3xf64>) -> tensor<4x3xf64>
  %y = graph.unary gelu_tanh %c : tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// After a convolution one kernel adds bias and residual and applies what follows.
// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x4x8x8xf32>, %f: tensor<4x4x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: exec.apply "conv"(%arg0, %arg1) with
  // CHECK-NOT: has_
  // CHECK: graph.binary add
  // CHECK: graph.binary add
  %c = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %wide = graph.broadcast %b to [1] : tensor<4xf32> -> tensor<1x4x8x8xf32>
  %s = graph.binary add %c, %wide : tensor<1x4x8x8xf32>
  %r = graph.binary add %x, %s : tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// A product of 8-bit floats adds a bias of 16 bits, behind its scales; to f32 the library has none that is exact.
// CHECK-LABEL: func @narrow
func.func @narrow(%x: tensor<4x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>, %s: tensor<1xf32>, %b: tensor<48xbf16>, %f: tensor<48xf32>) -> (tensor<4x48xbf16>, tensor<4x48xf32>) {
  // CHECK: exec.apply "contract"(%arg0, %arg1, %arg2, %arg3) with
  // CHECK-SAME: activation = "gelu_tanh", has_bias = true
  %p = exec.apply "contract"(%x, %w, %s) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>, has_rhs_scale = true} : (tensor<4x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<1xf32>) -> tensor<4x48xbf16>
  %bb = graph.broadcast %b to [1] : tensor<48xbf16> -> tensor<4x48xbf16>
  %pb = graph.binary add %p, %bb : tensor<4x48xbf16>
  %y = graph.unary gelu_tanh %pb : tensor<4x48xbf16>
  // CHECK: exec.apply "contract"(%arg0, %arg1, %arg2) with
  // CHECK-NOT: has_bias
  // CHECK: graph.binary add
  %q = exec.apply "contract"(%x, %w, %s) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>, has_lhs_scale = true} : (tensor<4x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<1xf32>) -> tensor<4x48xf32>
  %fb = graph.broadcast %f to [1] : tensor<48xf32> -> tensor<4x48xf32>
  %z = graph.binary add %q, %fb : tensor<4x48xf32>
  return %y, %z : tensor<4x48xbf16>, tensor<4x48xf32>
}

// It gives none of what gradients need, and is not turned: only its rhs has the extents that the units want of one.
// CHECK-LABEL: func @narrow_beside_gradients
func.func @narrow_beside_gradients(%x: tensor<4x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>) -> (tensor<4x48xbf16>, tensor<4x48xbf16>, tensor<48x4xbf16>) {
  // CHECK: %[[P:.*]] = exec.apply "contract"(%arg0, %arg1) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
  // CHECK: %[[Y:.*]] = graph.unary gelu_tanh %[[P]]
  %p = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<4x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<4x48xbf16>
  %y = graph.unary gelu_tanh %p : tensor<4x48xbf16>
  // CHECK: exec.apply "contract"(%arg0, %arg1) with {alpha = 5.000000e-01 : f64, lhs_contract
  // CHECK: graph.transpose
  %q = exec.apply "contract"(%x, %w) with {alpha = 0.5 : f64, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<4x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<4x48xbf16>
  %t = graph.transpose %q by [1, 0] : tensor<4x48xbf16>
  return %p, %y, %t : tensor<4x48xbf16>, tensor<4x48xbf16>, tensor<48x4xbf16>
}
