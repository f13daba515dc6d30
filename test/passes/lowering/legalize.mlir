// RUN: shard-opt %s --lowering-legalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @contract
func.func @contract(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: exec.apply "contract"(%{{.*}}, %{{.*}}) with
  // CHECK-SAME: lhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contract = array<i64: 1>
  %c = graph.contract %a, %b batch [0] x [0] over [2] x [1]
      : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return %c : tensor<2x4x3xf32>
}

// A type that no call computes on is left, for the error to name it.
// CHECK-LABEL: func @contract_f8
func.func @contract_f8(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x3xf8E4M3FN>) -> tensor<4x3xf8E4M3FN> {
  // CHECK: graph.contract
  %c = graph.contract %a, %b batch [] x [] over [1] x [0]
      : (tensor<4x8xf8E4M3FN>, tensor<8x3xf8E4M3FN>) -> tensor<4x3xf8E4M3FN>
  return %c : tensor<4x3xf8E4M3FN>
}

// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x4x8x8xf32>, %f: tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: exec.apply "conv"(%{{.*}}, %{{.*}}) with
  // CHECK-SAME: groups = 2 : i64, padding_high = array<i64: 1, 1>, padding_low = array<i64: 1, 1>, strides = array<i64: 2, 2>
  %y = graph.conv %x, %f strides [2, 2] pad [1, 1] to [1, 1] dilations [1, 1] groups 2
      : tensor<1x4x8x8xf32>, tensor<4x2x3x3xf32>
  return %y : tensor<1x4x4x4xf32>
}

// Negative padding crops, which calls don't do; a transposed convolution adds zeros there.
// CHECK-LABEL: func @negative_padding
func.func @negative_padding(%x: tensor<1x2x6xf32>, %g: tensor<1x4x3xf32>, %f: tensor<4x2x2xf32>)
    -> (tensor<1x4x5xf32>, tensor<1x2x4xf32>) {
  // CHECK: %[[P:.*]] = graph.pad %{{.*}} low [0, 0, 0] high [0, 0, 1]
  // CHECK: %[[C:.*]] = graph.slice %[[P]] from [0, 0, 1] to [1, 2, 7]
  // CHECK: exec.apply "conv"(%[[C]], %{{.*}}) with {{.*}}padding_high = array<i64: 0>, padding_low = array<i64: 0>
  %y = graph.conv %x, %f strides [1] pad [-1] to [1] dilations [1] groups 1
      : tensor<1x2x6xf32>, tensor<4x2x2xf32>
  // CHECK: %[[T:.*]] = exec.apply "conv_transpose"{{.*}}padding_high = array<i64: 0>, padding_low = array<i64: 0>{{.*}} -> tensor<1x2x4xf32>
  // CHECK: %[[Q:.*]] = graph.pad %[[T]], %{{.*}} low [0, 0, 1] high [0, 0, 0]
  // CHECK: graph.slice %[[Q]]
  %x2 = graph.conv_input_grad %g, %f strides [1] pad [-1] to [1] dilations [1] groups 1
      : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x4xf32>
  return %y, %x2 : tensor<1x4x5xf32>, tensor<1x2x4xf32>
}

// The gradient of a filter reads the input as its convolution does.
// CHECK-LABEL: func @filter_gradient
func.func @filter_gradient(%x: tensor<1x2x6xf32>, %g: tensor<1x4x5xf32>) -> tensor<4x2x2xf32> {
  // CHECK: %[[P:.*]] = graph.pad %{{.*}} low [0, 0, 0] high [0, 0, 1]
  // CHECK: %[[C:.*]] = graph.slice %[[P]] from [0, 0, 1] to [1, 2, 7]
  // CHECK: exec.apply "conv_filter_gradient"(%[[C]], %arg1) with {{.*}}padding_high = array<i64: 0>, padding_low = array<i64: 0>
  %f = graph.conv_filter_grad %x, %g strides [1] pad [-1] to [1] dilations [1] groups 1
      : (tensor<1x2x6xf32>, tensor<1x4x5xf32>) -> tensor<4x2x2xf32>
  return %f : tensor<4x2x2xf32>
}

// CHECK-LABEL: func @pool
func.func @pool(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  // CHECK: exec.apply "pool"(%{{.*}}) with {{.*}}kind = "avg_exclude"
  %y = graph.pool avg_exclude %x window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1]
      : tensor<1x3x8x8xf32>
  return %y : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func @topk
func.func @topk(%x: tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  // CHECK: exec.apply "topk"(%{{.*}}) with {dim = 1 : i64, largest = 0 : i64} {{.*}} -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %v, %i = graph.topk %x dim 1 k 3 {smallest} : tensor<4x8xf32>
  return %v, %i : tensor<4x3xf32>, tensor<4x3xi64>
}

// CHECK-LABEL: func @cast
func.func @cast(%x: tensor<4xf32>) -> (tensor<4xf8E5M2>, tensor<4xbf16>) {
  // CHECK: exec.apply "cast"(%{{.*}}) with {saturate = 0 : i64} : (tensor<4xf32>) -> tensor<4xf8E5M2>
  %y = graph.cast %x {saturate = false} : tensor<4xf32> -> tensor<4xf8E5M2>
  // CHECK: graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
  %z = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>
  return %y, %z : tensor<4xf8E5M2>, tensor<4xbf16>
}

// A softcap is the calls' own; a mask of another type is cast to one that they take.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x2x8x4xf16>, %m: tensor<1x1x8x8xf64>)
    -> (tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>) {
  // CHECK: %[[M:.*]] = graph.cast %{{.*}} -> tensor<1x1x8x8xf32>
  // CHECK: exec.apply "attention"(%arg0, %arg0, %arg0, %[[M]]) with {causal = true, has_mask = true, scale = 5.000000e-01 : f64, softcap = 3.000000e+01 : f64}
  %o = graph.attention %q, %q, %q mask %m scale 0.5 causal {softcap = 30.0}
      : tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x1x8x8xf64>
  // CHECK: exec.apply "attention_gradient"(%arg0, %arg0, %arg0, %arg0) with {scale = 5.000000e-01 : f64}
  %g:3 = graph.attention_grad %q, %q, %q, %q scale 0.5
      : tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>
  return %o, %g#0, %g#1, %g#2 : tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>, tensor<1x2x8x4xf16>
}

// The gradient of a mask needs all weights at once.
// CHECK-LABEL: func @mask_gradient
func.func @mask_gradient(%q: tensor<1x2x8x4xf32>, %m: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  // CHECK: graph.attention_grad
  %g:4 = graph.attention_grad %q, %q, %q, %q mask %m scale 0.5 mask_gradient
      : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>
  return %g#3 : tensor<1x1x8x8xf32>
}
