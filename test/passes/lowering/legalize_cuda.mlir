// RUN: shard-opt %s --lowering-legalize=device=cuda | FileCheck %s
// RUN: shard-opt %s --lowering-legalize="device=cuda allow-tf32" | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: shard-opt %s --lowering-legalize=device=cuda | FileCheck %s --check-prefix=EXACT
// RUN: shard-opt %s --lowering-legalize=allow-tf32 | FileCheck %s --check-prefix=EXACT

// f32 may be rounded to TF32 where that is asked for, on GPUs.
// EXACT-NOT: tf32

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x256xf32>) -> tensor<1x2x8x256xf32> {
  // CHECK: exec.apply "attention"
  %o = graph.attention %q, %q, %v scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x256xf32>
  return %o : tensor<1x2x8x256xf32>
}

// Wider heads than the call has are left, to be decomposed.
// CHECK-LABEL: func @wide_heads
func.func @wide_heads(%q: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x257xf32>) -> tensor<1x2x8x257xf32> {
  // CHECK: graph.attention
  %o = graph.attention %q, %q, %v scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x257xf32>
  return %o : tensor<1x2x8x257xf32>
}

// TF32-LABEL: func @products
func.func @products(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %n: tensor<4x8xbf16>, %m: tensor<8x3xbf16>)
    -> (tensor<4x3xf32>, tensor<4x3xbf16>) {
  // TF32: exec.apply "contract"(%arg0, %arg1) with {allow_tf32 = true
  // TF32: exec.apply "contract"(%arg2, %arg3) with {lhs_contract
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = graph.contract %n, %m batch [] x [] over [1] x [0] : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xbf16>
}

// TF32-LABEL: func @convolutions
func.func @convolutions(%x: tensor<1x4x8x8xf32>, %f: tensor<4x4x1x1xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) {
  // TF32: exec.apply "conv"{{.*}} with {allow_tf32 = true
  // TF32: exec.apply "conv_transpose"{{.*}} with {allow_tf32 = true
  // TF32: exec.apply "conv_filter_gradient"{{.*}} with {allow_tf32 = true
  %y = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %g = graph.conv_input_grad %y, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %h = graph.conv_filter_grad %x, %y strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x4x1x1xf32>
  return %y, %g, %h : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
}

dist.mesh @m <["d"=4]>

// NCCL's largest would lose NaN: ranks gather what they have of floats, and find it themselves.
// CHECK-LABEL: func @largest
func.func @largest(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  // CHECK: %[[PART:.*]] = graph.reshape %arg0 : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: %[[ALL:.*]] = exec.apply "all_gather"(%[[PART]]) {{.*}} -> tensor<4x8xf32>
  // CHECK: graph.reduce max %[[ALL]] over [0]
  // CHECK: exec.apply "all_reduce"(%arg1) with {{.*}}kind = "max"
  // CHECK-NOT: all_reduce
  %0 = dist.all_reduce max %x over <@m, {"d"}> : tensor<8xf32>
  %1 = dist.all_reduce max %i over <@m, {"d"}> : tensor<8xi32>
  return %0, %1 : tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: func @blocks_of_the_smallest
func.func @blocks_of_the_smallest(%x: tensor<8x4xbf16>, %y: tensor<2x8xbf16>) -> (tensor<2x4xbf16>, tensor<2x2xbf16>) {
  // CHECK: %[[ALL:.*]]:2 = exec.apply "all_gather"
  // CHECK: %[[X:.*]] = graph.reduce min %[[ALL]]#0 over [0]
  // CHECK: %[[Y:.*]] = graph.reduce min %[[ALL]]#1 over [0]
  // CHECK: exec.apply "shard_slice"(%[[X]]) with {{.*}}dim = 0
  // CHECK: exec.apply "shard_slice"(%[[Y]]) with {{.*}}dim = 1
  %0:2 = dist.reduce_scatter min %x, %y dim 0, 1 over <@m, {"d"}>
      : tensor<8x4xbf16>, tensor<2x8xbf16> -> tensor<2x4xbf16>, tensor<2x2xbf16>
  return %0#0, %0#1 : tensor<2x4xbf16>, tensor<2x2xbf16>
}
