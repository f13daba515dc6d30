// RUN: shard-opt %s --lowering-block-layouts --split-input-file | FileCheck %s
// RUN: shard-opt %s --lowering-block-layouts=block=8 --split-input-file | FileCheck %s --check-prefix=EIGHT

// Reorders stand only where the convolutions begin and end.
// CHECK-LABEL: func @chain
// EIGHT: exec.apply "reorder"(%arg0) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32, #exec.blocked<8>>
func.func @chain(%x: tensor<1x16x4x4xf32>, %f: tensor<16x16x1x1xf32> {graph.parameter = "f"}) -> tensor<1x16x2x2xf32> {
  // CHECK: %[[X:.*]] = exec.apply "reorder"(%arg0) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32, #exec.blocked<16>>
  // CHECK: %[[A:.*]] = exec.apply "conv"(%[[X]], %arg1) {{.*}} -> tensor<1x16x4x4xf32, #exec.blocked<16>>
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  // CHECK: %[[B:.*]] = exec.apply "conv"(%[[A]], %arg1, %[[A]])
  %b = exec.apply "conv"(%a, %f, %a) with {has_residual = true, strides = array<i64: 1, 1>}
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  // CHECK: %[[P:.*]] = exec.apply "pool"(%[[B]]) {{.*}} -> tensor<1x16x2x2xf32, #exec.blocked<16>>
  %p = exec.apply "pool"(%b) with {kind = "max"} : (tensor<1x16x4x4xf32>) -> tensor<1x16x2x2xf32>
  // CHECK: %[[Y:.*]] = exec.apply "reorder"(%[[P]])
  // CHECK: return %[[Y]]
  return %p : tensor<1x16x2x2xf32>
}

// -----

// An image of three channels is read as it is.
// CHECK-LABEL: func @image
func.func @image(%x: tensor<1x3x4x4xf32>, %f: tensor<16x3x1x1xf32> {graph.parameter = "f"}) -> tensor<1x16x4x4xf32> {
  // CHECK: exec.apply "conv"(%arg0, %arg1) {{.*}} -> tensor<1x16x4x4xf32, #exec.blocked<16>>
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) -> tensor<1x16x4x4xf32>
  return %a : tensor<1x16x4x4xf32>
}

// -----

// An elementwise cluster works on the blocked memory as if it were flat.
// CHECK-LABEL: func @cluster
func.func @cluster(%x: tensor<1x16x4x4xf32>, %f: tensor<16x16x1x1xf32> {graph.parameter = "f"}) -> tensor<1x16x4x4xf32> {
  // CHECK: %[[A:.*]] = exec.apply "conv"
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  // CHECK: %[[FLAT:.*]] = exec.reinterpret %[[A]] : tensor<1x16x4x4xf32, #exec.blocked<16>> -> tensor<256xf32>
  // CHECK: %[[C:.*]] = graph.cluster(%[[FLAT]]) : (tensor<256xf32>) -> tensor<256xf32>
  // CHECK: graph.constant dense<2.000000e+00> : tensor<256xf32>
  // CHECK: exec.reinterpret %[[C]]
  %y = graph.cluster(%a) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  ^bb0(%e: tensor<1x16x4x4xf32>):
    %two = graph.constant dense<2.0> : tensor<1x16x4x4xf32>
    %m = graph.binary mul %e, %two : tensor<1x16x4x4xf32>
    graph.yield %m : tensor<1x16x4x4xf32>
  }
  return %y : tensor<1x16x4x4xf32>
}

// -----

// A filter that changes from run to run keeps the convolution as it is.
// CHECK-LABEL: func @dynamic_filter
func.func @dynamic_filter(%x: tensor<1x16x4x4xf32>, %f: tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32> {
  // CHECK-NOT: blocked
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  return %a : tensor<1x16x4x4xf32>
}
