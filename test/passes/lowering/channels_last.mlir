// RUN: shard-opt %s --lowering-channels-last --split-input-file | FileCheck %s

// Transposes stand only where the convolutions begin and end.
// CHECK-LABEL: func @chain
func.func @chain(%x: tensor<1x16x4x6xf32>, %f: tensor<16x16x1x1xf32> {graph.parameter = "f"}) -> tensor<1x16x2x3xf32> {
  // CHECK: %[[X:.*]] = graph.transpose %arg0 by [0, 2, 3, 1] : tensor<1x16x4x6xf32>
  // CHECK: %[[A:.*]] = exec.apply "conv"(%[[X]], %arg1) with {channels_last = true{{.*}} -> tensor<1x4x6x16xf32>
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x6xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x6xf32>
  // CHECK: %[[B:.*]] = exec.apply "conv"(%[[A]], %arg1, %[[A]])
  %b = exec.apply "conv"(%a, %f, %a) with {has_residual = true, strides = array<i64: 1, 1>}
      : (tensor<1x16x4x6xf32>, tensor<16x16x1x1xf32>, tensor<1x16x4x6xf32>) -> tensor<1x16x4x6xf32>
  // CHECK: %[[P:.*]] = exec.apply "pool"(%[[B]]) with {channels_last = true{{.*}} -> tensor<1x2x3x16xf32>
  %p = exec.apply "pool"(%b) with {kind = "max"} : (tensor<1x16x4x6xf32>) -> tensor<1x16x2x3xf32>
  // CHECK: %[[Y:.*]] = graph.transpose %[[P]] by [0, 3, 1, 2]
  // CHECK: return %[[Y]]
  return %p : tensor<1x16x2x3xf32>
}

// -----

// Any number of input channels does; few output channels would leave most of a vector empty.
// CHECK-LABEL: func @channels
func.func @channels(%x: tensor<1x3x4xf32>, %f: tensor<16x3x1xf32> {graph.parameter = "f"}, %g: tensor<5x16x1xf32> {graph.parameter = "g"}) -> tensor<1x5x4xf32> {
  // CHECK: %[[A:.*]] = exec.apply "conv"{{.*}} -> tensor<1x4x16xf32>
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1>} : (tensor<1x3x4xf32>, tensor<16x3x1xf32>) -> tensor<1x16x4xf32>
  // CHECK: %[[B:.*]] = graph.transpose %[[A]] by [0, 2, 1]
  // CHECK: exec.apply "conv"(%[[B]], %arg2) {{.*}} -> tensor<1x5x4xf32>
  %b = exec.apply "conv"(%a, %g) with {strides = array<i64: 1>} : (tensor<1x16x4xf32>, tensor<5x16x1xf32>) -> tensor<1x5x4xf32>
  return %b : tensor<1x5x4xf32>
}

// -----

// An elementwise cluster works on the memory as if it were flat.
// CHECK-LABEL: func @cluster
func.func @cluster(%x: tensor<1x16x4x4xf32>, %f: tensor<16x16x1x1xf32> {graph.parameter = "f"}) -> tensor<1x16x4x4xf32> {
  // CHECK: %[[A:.*]] = exec.apply "conv"
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  // CHECK: %[[FLAT:.*]] = graph.reshape %[[A]] : tensor<1x4x4x16xf32> -> tensor<256xf32>
  // CHECK: %[[C:.*]] = graph.cluster(%[[FLAT]]) : (tensor<256xf32>) -> tensor<256xf32>
  // CHECK: graph.constant dense<2.000000e+00> : tensor<256xf32>
  // CHECK: %[[Y:.*]] = graph.reshape %[[C]] : tensor<256xf32> -> tensor<1x4x4x16xf32>
  // CHECK: graph.transpose %[[Y]] by [0, 3, 1, 2]
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
  // CHECK-NOT: channels_last
  %a = exec.apply "conv"(%x, %f) with {strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  return %a : tensor<1x16x4x4xf32>
}
