// RUN: shard-opt %s --lowering-bufferize --split-input-file | FileCheck %s

// Attention writes its heads where the projection wants them: side by side.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[M:.*]] = exec.buffer : <2x5x12xf32>
// CHECK: %[[HEADS:.*]] = exec.view %[[M]] at 0 : <2x5x12xf32> -> <2x3x5x4xf32, strides = [60, 4, 12, 1]>
// CHECK-NOT: "copy"
// CHECK: exec.call "attention"({{.*}}) -> (%[[HEADS]])
// CHECK-NOT: "copy"
// CHECK: exec.call "contract"(%[[M]],
func.func @forward(%q: tensor<2x3x5x4xf32>, %w: tensor<12x7xf32>) -> tensor<2x5x7xf32> {
  %o = exec.apply "attention"(%q, %q, %q) with {scale = 1.0 : f64} : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %t = graph.transpose %o by [0, 2, 1, 3] : tensor<2x3x5x4xf32>
  %m = graph.reshape %t : tensor<2x5x3x4xf32> -> tensor<2x5x12xf32>
  %y = exec.apply "contract"(%m, %w) with {lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>}
      : (tensor<2x5x12xf32>, tensor<12x7xf32>) -> tensor<2x5x7xf32>
  return %y : tensor<2x5x7xf32>
}
