// RUN: shard-opt %s -split-input-file --training-differentiate=output=0 --canonicalize --cse --lowering-legalize --lowering-fuse-epilogues=device=cuda | FileCheck %s
// RUN: shard-opt %s -split-input-file --training-differentiate=output=0 --canonicalize --cse --lowering-legalize="device=cuda allow-tf32=true" --lowering-fuse-epilogues=device=cuda | FileCheck %s --check-prefix=TF32
// RUN: shard-opt %s -split-input-file --training-differentiate=output=0 --canonicalize --cse --lowering-legalize --lowering-fuse-epilogues | FileCheck %s --check-prefix=HOST

// Processors do all of it in clusters.
// HOST-NOT: keeps_preactivation
// HOST-NOT: derivative =
// HOST-NOT: sums =

// What gelu is applied to is kept for its gradient, by whose derivative the product before multiplies; all biases come
// with the weights.
// CHECK-LABEL: func @mlp
func.func @mlp(%x: tensor<16x5xbf16>, %w: tensor<5x8xbf16> {graph.parameter = "w"}, %b: tensor<8xbf16> {graph.parameter = "b"},
    %v: tensor<8x3xbf16> {graph.parameter = "v"}) -> (tensor<bf16> {graph.output = "loss"}) {
  // CHECK: %[[H:.*]]:2 = exec.apply "contract"(%arg0, %arg1, %arg2) with {activation = "gelu_tanh", has_bias = true, keeps_preactivation = true
  // CHECK-SAME: -> (tensor<16x8xbf16>, tensor<16x8xbf16>)
  // CHECK: exec.apply "contract"(%[[H]]#0, %arg3)
  // CHECK: %[[G:.*]] = exec.apply "contract"(%{{.*}}, %arg3, %[[H]]#1) with {derivative = "gelu_tanh"
  // CHECK-NOT: tanh
  // CHECK: %[[W:.*]]:2 = exec.apply "contract"(%arg0, %[[G]]) with {{.*}}sums = "rhs"
  // CHECK: return %{{.*}}, %[[W]]#0, %[[W]]#1, %{{.*}}
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xbf16>, tensor<5x8xbf16>) -> tensor<16x8xbf16>
  %wide = graph.broadcast %b to [1] : tensor<8xbf16> -> tensor<16x8xbf16>
  %s = graph.binary add %c, %wide : tensor<16x8xbf16>
  %y = graph.unary gelu_tanh %s : tensor<16x8xbf16>
  %z = graph.contract %y, %v batch [] x [] over [1] x [0] : (tensor<16x8xbf16>, tensor<8x3xbf16>) -> tensor<16x3xbf16>
  %q = graph.binary mul %z, %z : tensor<16x3xbf16>
  %l = graph.reduce sum %q over [0, 1] : tensor<16x3xbf16>
  return %l : tensor<bf16>
}

// -----

// In other shapes, and with a weight that is not trained: the product that wrote the gradient sums it up.
// CHECK-LABEL: func @frozen
func.func @frozen(%x: tensor<16x5xf16>, %w: tensor<5x8xf16>, %b: tensor<8xf16> {graph.parameter = "b"},
    %v: tensor<8x3xf16>) -> (tensor<f16> {graph.output = "loss"}) {
  // CHECK: %[[H:.*]]:2 = exec.apply "contract"{{.*}}keeps_preactivation = true
  // CHECK: %[[G:.*]]:2 = exec.apply "contract"(%{{.*}}) with {derivative = "gelu_tanh", {{.*}}sums = "result"
  // CHECK: return %{{.*}}, %[[G]]#1
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xf16>, tensor<5x8xf16>) -> tensor<16x8xf16>
  %wide = graph.broadcast %b to [1] : tensor<8xf16> -> tensor<16x8xf16>
  %s = graph.binary add %c, %wide : tensor<16x8xf16>
  %r = graph.reshape %s : tensor<16x8xf16> -> tensor<2x8x8xf16>
  %y = graph.unary gelu_tanh %r : tensor<2x8x8xf16>
  %z = graph.contract %y, %v batch [] x [] over [2] x [0] : (tensor<2x8x8xf16>, tensor<8x3xf16>) -> tensor<2x8x3xf16>
  %q = graph.binary mul %z, %z : tensor<2x8x3xf16>
  %l = graph.reduce sum %q over [0, 1, 2] : tensor<2x8x3xf16>
  return %l : tensor<f16>
}

// -----

// Rows that are no multiple of 8 are none of the library's.
// CHECK-LABEL: func @uneven
func.func @uneven(%x: tensor<16x5xbf16>, %w: tensor<5x12xbf16> {graph.parameter = "w"}, %v: tensor<12x3xbf16>) -> (tensor<bf16> {graph.output = "loss"}) {
  // CHECK-NOT: keeps_preactivation
  // CHECK-NOT: derivative =
  // CHECK: return
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xbf16>, tensor<5x12xbf16>) -> tensor<16x12xbf16>
  %y = graph.unary gelu_tanh %c : tensor<16x12xbf16>
  %z = graph.contract %y, %v batch [] x [] over [1] x [0] : (tensor<16x12xbf16>, tensor<12x3xbf16>) -> tensor<16x3xbf16>
  %q = graph.binary mul %z, %z : tensor<16x3xbf16>
  %l = graph.reduce sum %q over [0, 1] : tensor<16x3xbf16>
  return %l : tensor<bf16>
}

// -----

// f32 only where it may be rounded: the library's tanh is no better.
// CHECK-LABEL: func @wide
// TF32-LABEL: func @wide
func.func @wide(%x: tensor<16x5xf32>, %w: tensor<5x8xf32> {graph.parameter = "w"}, %v: tensor<8x3xf32>) -> (tensor<f32> {graph.output = "loss"}) {
  // CHECK-NOT: keeps_preactivation
  // CHECK-NOT: derivative =
  // TF32: keeps_preactivation
  // TF32: derivative = "gelu_tanh"
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xf32>, tensor<5x8xf32>) -> tensor<16x8xf32>
  %y = graph.unary gelu_tanh %c : tensor<16x8xf32>
  %z = graph.contract %y, %v batch [] x [] over [1] x [0] : (tensor<16x8xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
  %q = graph.binary mul %z, %z : tensor<16x3xf32>
  %l = graph.reduce sum %q over [0, 1] : tensor<16x3xf32>
  return %l : tensor<f32>
}

// -----

// The exact gelu is another function, and its derivative, too.
// CHECK-LABEL: func @exact
// TF32-LABEL: func @exact
func.func @exact(%x: tensor<16x5xbf16>, %w: tensor<5x8xbf16> {graph.parameter = "w"}, %v: tensor<8x3xbf16>) -> (tensor<bf16> {graph.output = "loss"}) {
  // CHECK-NOT: keeps_preactivation
  // CHECK-NOT: derivative =
  // CHECK: return
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<16x5xbf16>, tensor<5x8xbf16>) -> tensor<16x8xbf16>
  %y = graph.unary gelu_erf %c : tensor<16x8xbf16>
  %z = graph.contract %y, %v batch [] x [] over [1] x [0] : (tensor<16x8xbf16>, tensor<8x3xbf16>) -> tensor<16x3xbf16>
  %q = graph.binary mul %z, %z : tensor<16x3xbf16>
  %l = graph.reduce sum %q over [0, 1] : tensor<16x3xbf16>
  return %l : tensor<bf16>
}
