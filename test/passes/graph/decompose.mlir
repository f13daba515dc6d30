// RUN: shard-opt %s --graph-decompose | FileCheck %s
// RUN: shard-opt %s --graph-decompose='keep=softmax,gelu_erf' | FileCheck %s --check-prefix=KEEP
// RUN: not shard-opt %s --graph-decompose='keep=sofmax' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: keep names "sofmax", which is no composite op of the graph dialect

// Statistics of narrow floats are f32; the result is rounded once.
// CHECK-LABEL: func @softmax
// KEEP-LABEL: func @softmax
func.func @softmax(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // KEEP: graph.softmax
  // CHECK: %[[X:.*]] = graph.cast %{{.*}} -> tensor<4x8xf32>
  // CHECK: %[[M:.*]] = graph.reduce max %[[X]] over [1]
  // CHECK: %[[B:.*]] = graph.broadcast %[[M]] to [0]
  // CHECK: %[[D:.*]] = graph.binary sub %[[X]], %[[B]]
  // CHECK: %[[E:.*]] = graph.unary exp %[[D]]
  // CHECK: graph.reduce sum %[[E]] over [1]
  // CHECK: graph.binary div %[[E]]
  // CHECK: graph.cast %{{.*}} -> tensor<4x8xbf16>
  %y = graph.softmax %x dim 1 : tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// Keys and values of grouped heads are never repeated, and scores are f32.
// CHECK-LABEL: func @grouped_attention
// KEEP-LABEL: func @grouped_attention
func.func @grouped_attention(%q: tensor<1x4x8x16xf16>, %k: tensor<1x2x8x16xf16>) -> tensor<1x4x8x16xf16> {
  // CHECK: graph.reshape %{{.*}} -> tensor<1x2x2x8x16xf16>
  // CHECK: graph.contract {{.*}} batch [0, 1] x [0, 1] over [4] x [3]
  // CHECK-SAME: -> tensor<1x2x2x8x8xf32>
  // CHECK: graph.iota dim 0 : tensor<8x8xi64>
  // CHECK: graph.compare le
  // CHECK: graph.select
  // CHECK-NOT: graph.softmax
  // CHECK: graph.contract {{.*}} batch [0, 1] x [0, 1] over [4] x [2]
  // CHECK-SAME: -> tensor<1x2x2x8x16xf16>
  // CHECK-NOT: graph.attention
  // KEEP: graph.softmax %{{.*}} dim 3 : tensor<1x4x8x8xf32>
  %o = graph.attention %q, %k, %k scale 0.25 causal
      : tensor<1x4x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x16xf16>
  return %o : tensor<1x4x8x16xf16>
}

// Mask, softcap and scale come in this order: cap(scale x) + mask.
// CHECK-LABEL: func @masked_attention
func.func @masked_attention(%q: tensor<1x2x8x16xf32>, %m: tensor<1x1x1x8xf32>) -> tensor<1x2x8x16xf32> {
  // CHECK: %[[S:.*]] = graph.contract
  // CHECK: %[[SCALED:.*]] = graph.binary mul %[[S]]
  // CHECK: graph.binary div %[[SCALED]]
  // CHECK: %[[T:.*]] = graph.unary tanh
  // CHECK: %[[CAPPED:.*]] = graph.binary mul %[[T]]
  // CHECK: %[[M:.*]] = graph.broadcast %{{.*}} to [0, 1, 2, 3]
  // CHECK: graph.binary add %[[CAPPED]], %[[M]]
  %o = graph.attention %q, %q, %q mask %m scale 0.25 {softcap = 30.0}
      : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xf32>
  return %o : tensor<1x2x8x16xf32>
}

// Weights are computed again; a group's gradients sum over the queries of all its heads.
// CHECK-LABEL: func @attention_grad
func.func @attention_grad(%q: tensor<1x4x8x16xbf16>, %k: tensor<1x2x8x16xbf16>, %m: tensor<1x1x1x8xf32>)
    -> (tensor<1x4x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x1x1x8xf32>) {
  // CHECK-DAG: graph.contract %{{.*}} batch [0, 1] x [0, 1] over [2, 3] x [2, 3] : (tensor<1x2x2x8x8xbf16>, tensor<1x2x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  // CHECK-DAG: graph.contract %{{.*}}, %arg1 batch [0, 1] x [0, 1] over [4] x [2]
  // CHECK: graph.reduce sum %{{.*}} over [1, 2] : tensor<1x4x8x8xf32>
  // CHECK-NOT: graph.attention_grad
  %0:4 = graph.attention_grad %q, %k, %k, %q mask %m scale 0.25 causal mask_gradient
      : tensor<1x4x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x4x8x16xbf16>, tensor<1x1x1x8xf32>
  return %0#0, %0#1, %0#2, %0#3
      : tensor<1x4x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x1x1x8xf32>
}

// Executed, this is the call against primitives: several tiles, queries that see no key.
// CHECK-LABEL: func @attention_grad_alone
func.func @attention_grad_alone(%q: tensor<2x4x70x5xf64>, %k: tensor<2x2x67x5xf64>, %v: tensor<2x2x67x3xf64>,
                                %g: tensor<2x4x70x3xf64>, %m: tensor<2x1x70x67xf64>)
    -> (tensor<2x4x70x5xf64>, tensor<2x2x67x5xf64>, tensor<2x2x67x3xf64>) {
  // CHECK-NOT: graph.attention_grad
  %0:3 = graph.attention_grad %q, %k, %v, %g mask %m scale 0.5 causal {softcap = 1.5}
      : tensor<2x4x70x5xf64>, tensor<2x2x67x5xf64>, tensor<2x2x67x3xf64>, tensor<2x4x70x3xf64>, tensor<2x1x70x67xf64>
  return %0#0, %0#1, %0#2 : tensor<2x4x70x5xf64>, tensor<2x2x67x5xf64>, tensor<2x2x67x3xf64>
}

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: graph.reduce sum %{{.*}} over [1]
  // CHECK: %[[C:.*]] = graph.binary sub
  // CHECK: graph.binary mul %[[C]], %[[C]]
  // CHECK: graph.unary rsqrt
  // CHECK: graph.broadcast %{{.*}} to [1] : tensor<8xf32> -> tensor<4x8xf32>
  // CHECK-NOT: layer_norm
  %y = graph.layer_norm %x scale %s axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func @group_norm
func.func @group_norm(%x: tensor<2x8x4xf32>, %c: tensor<8xf32>) -> tensor<2x8x4xf32> {
  // CHECK: graph.reshape %{{.*}} -> tensor<2x2x4x4xf32>
  // CHECK: graph.reduce sum %{{.*}} over [2, 3]
  // CHECK: graph.reshape %{{.*}} -> tensor<2x8x4xf32>
  %y = graph.group_norm %x, %c, %c groups 2 epsilon 1.0e-5 : tensor<2x8x4xf32>, tensor<8xf32>
  return %y : tensor<2x8x4xf32>
}

// The part that is not rotated passes through.
// CHECK-LABEL: func @partial_rotary
func.func @partial_rotary(%x: tensor<1x2x8x16xf32>, %c: tensor<1x1x8x4xf32>) -> tensor<1x2x8x16xf32> {
  // CHECK: graph.slice %{{.*}} from [0, 0, 0, 8] to [1, 2, 8, 16]
  // CHECK: graph.concat {{.*}} dim 3
  %y = graph.rotary %x, %c, %c : tensor<1x2x8x16xf32>, tensor<1x1x8x4xf32>
  return %y : tensor<1x2x8x16xf32>
}

// CHECK-LABEL: func @interleaved_rotary
func.func @interleaved_rotary(%x: tensor<8x16xf32>, %c: tensor<8x8xf32>) -> tensor<8x16xf32> {
  // CHECK: graph.slice %{{.*}} from [0, 0] to [8, 16] by [1, 2]
  // CHECK: graph.slice %{{.*}} from [0, 1] to [8, 16] by [1, 2]
  // CHECK: graph.reshape %{{.*}} : tensor<8x8x2xf32> -> tensor<8x16xf32>
  %y = graph.rotary %x, %c, %c interleaved : tensor<8x16xf32>, tensor<8x8xf32>
  return %y : tensor<8x16xf32>
}

// An ignored label may be out of range, so it is not looked up. Negative ones are no classes, so they are made out of
// range where elements count from the end.
// CHECK-LABEL: func @cross_entropy
func.func @cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = graph.compare eq
  // CHECK: %[[L:.*]] = graph.select %[[P]]
  // CHECK: %[[N:.*]] = graph.compare lt %[[L]]
  // CHECK: %[[D:.*]] = graph.binary sub %[[L]]
  // CHECK: %[[K:.*]] = graph.select %[[N]], %[[D]], %[[L]]
  // CHECK: %[[C:.*]] = graph.reshape %[[K]]
  // CHECK: graph.gather_elements %{{.*}}, %[[C]] dim 1
  // CHECK: graph.select %[[P]]
  %l = graph.cross_entropy %x, %t ignore -100 : tensor<4x8xf32>, tensor<4xi64>
  return %l : tensor<4xf32>
}

// Primitive kinds stay; composite ones don't, unless they are kept.
// CHECK-LABEL: func @unary
// KEEP-LABEL: func @unary
func.func @unary(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.unary tanh
  %0 = graph.unary tanh %x : tensor<4xf32>
  // CHECK: graph.unary erf
  // KEEP: graph.unary gelu_erf
  %1 = graph.unary gelu_erf %0 : tensor<4xf32>
  // max(x, 0) + log1p(exp(-|x|))
  // CHECK: graph.unary abs
  // CHECK: graph.unary exp
  // CHECK: graph.binary max
  // CHECK: graph.unary log1p
  %2 = graph.unary softplus %1 : tensor<4xf32>
  // CHECK: graph.unary reciprocal
  // KEEP-NOT: silu
  %3 = graph.unary silu %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
