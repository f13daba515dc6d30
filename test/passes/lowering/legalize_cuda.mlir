// RUN: shard-opt %s --lowering-legalize=device=cuda | FileCheck %s

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
