// RUN: shard-opt %s | shard-opt | FileCheck %s
// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func @all
func.func @all(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<4x18xf32> {
  // CHECK: graph.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x2x8xf32>
  %a = graph.reshape %x : tensor<4x8xf32> -> tensor<2x2x8xf32>
  // CHECK: graph.transpose %{{.*}} by [2, 0, 1] : tensor<2x2x8xf32>
  %b = graph.transpose %a by [2, 0, 1] : tensor<2x2x8xf32>
  // CHECK: graph.slice %{{.*}} from [0, 0, 1] to [8, 2, 2] by [2, 1, 1] : tensor<8x2x2xf32>
  %c = graph.slice %b from [0, 0, 1] to [8, 2, 2] by [2, 1, 1] : tensor<8x2x2xf32>
  // CHECK: graph.broadcast %{{.*}} to [0, 1, 2] : tensor<4x2x1xf32> -> tensor<4x2x4xf32>
  %d = graph.broadcast %c to [0, 1, 2] : tensor<4x2x1xf32> -> tensor<4x2x4xf32>
  %e = graph.reshape %d : tensor<4x2x4xf32> -> tensor<4x8xf32>
  // CHECK: graph.reverse %{{.*}} dims [0] : tensor<4x8xf32>
  %f = graph.reverse %e dims [0] : tensor<4x8xf32>
  // CHECK: graph.pad %{{.*}}, %{{.*}} low [0, 1] high [0, 1] : tensor<4x8xf32>, tensor<f32>
  %g = graph.pad %f, %v low [0, 1] high [0, 1] : tensor<4x8xf32>, tensor<f32>
  // CHECK: graph.concat %{{.*}}, %{{.*}} dim 1 : tensor<4x10xf32>, tensor<4x8xf32>
  %h = graph.concat %g, %x dim 1 : tensor<4x10xf32>, tensor<4x8xf32>
  return %h : tensor<4x18xf32>
}

// Rank 0 and extents of 0 are tensors too.
// CHECK-LABEL: func @small
func.func @small(%x: tensor<f32>, %y: tensor<0x4xf32>) -> (tensor<2xf32>, tensor<4x0xf32>) {
  // CHECK: graph.broadcast %{{.*}} to [] : tensor<f32> -> tensor<2xf32>
  %a = graph.broadcast %x to [] : tensor<f32> -> tensor<2xf32>
  // CHECK: graph.transpose %{{.*}} by [1, 0] : tensor<0x4xf32>
  %b = graph.transpose %y by [1, 0] : tensor<0x4xf32>
  return %a, %b : tensor<2xf32>, tensor<4x0xf32>
}

// CANON-LABEL: func @no_change
// CANON-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<f32>)
func.func @no_change(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<4x8xf32> {
  %a = graph.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = graph.transpose %a by [0, 1] : tensor<4x8xf32>
  %c = graph.slice %b from [0, 0] to [4, 8] by [1, 1] : tensor<4x8xf32>
  %d = graph.broadcast %c to [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %e = graph.reverse %d dims [] : tensor<4x8xf32>
  %f = graph.pad %e, %v low [0, 0] high [0, 0] : tensor<4x8xf32>, tensor<f32>
  %g = graph.concat %f dim 1 : tensor<4x8xf32>
  // CANON-NEXT: return %[[X]]
  return %g : tensor<4x8xf32>
}

// CANON-LABEL: func @compose_reshapes
func.func @compose_reshapes(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  // CANON-NEXT: graph.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %a = graph.reshape %x : tensor<4x8xf32> -> tensor<8x4xf32>
  %b = graph.reshape %a : tensor<8x4xf32> -> tensor<32xf32>
  return %b : tensor<32xf32>
}

// The result's dim i is dim permutation[i]: [1, 2, 0] after [2, 1, 0] takes dims 1, 0, 2.
// CANON-LABEL: func @compose_transposes
func.func @compose_transposes(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>, tensor<2x3x4xf32>) {
  %a = graph.transpose %x by [2, 1, 0] : tensor<2x3x4xf32>
  // CANON-NEXT: %[[B:.*]] = graph.transpose %[[X:.*]] by [1, 0, 2] : tensor<2x3x4xf32>
  %b = graph.transpose %a by [1, 2, 0] : tensor<4x3x2xf32>
  %c = graph.transpose %a by [2, 1, 0] : tensor<4x3x2xf32>
  // CANON-NEXT: return %[[B]], %[[X]]
  return %b, %c : tensor<3x2x4xf32>, tensor<2x3x4xf32>
}

// CANON-LABEL: func @compose_broadcasts
func.func @compose_broadcasts(%x: tensor<8xf32>) -> tensor<2x4x8xf32> {
  // CANON-NEXT: graph.broadcast %{{.*}} to [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %a = graph.broadcast %x to [1] : tensor<8xf32> -> tensor<1x8xf32>
  %b = graph.broadcast %a to [1, 2] : tensor<1x8xf32> -> tensor<2x4x8xf32>
  return %b : tensor<2x4x8xf32>
}

// Elements 1, 4, 7, 10 of the operand; of these the second and fourth: 4 and 10.
// CANON-LABEL: func @compose_slices
func.func @compose_slices(%x: tensor<12xf32>) -> tensor<2xf32> {
  // CANON-NEXT: graph.slice %{{.*}} from [4] to [11] by [6] : tensor<12xf32>
  %a = graph.slice %x from [1] to [12] by [3] : tensor<12xf32>
  %b = graph.slice %a from [1] to [4] by [2] : tensor<4xf32>
  return %b : tensor<2xf32>
}

// CANON-LABEL: func @flatten_concats
// CANON-SAME: (%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<3xf32>, %[[E:.*]]: tensor<0xf32>)
func.func @flatten_concats(%x: tensor<2xf32>, %y: tensor<3xf32>, %e: tensor<0xf32>)
    -> tensor<7xf32> {
  // CANON-NEXT: graph.concat %[[X]], %[[Y]], %[[X]] dim 0
  %a = graph.concat %x, %y dim 0 : tensor<2xf32>, tensor<3xf32>
  %b = graph.concat %a, %e, %x dim 0 : tensor<5xf32>, tensor<0xf32>, tensor<2xf32>
  return %b : tensor<7xf32>
}

// A concat along another dim is not part of this one.
// CANON-LABEL: func @nested_concats_of_two_dims
func.func @nested_concats_of_two_dims(%x: tensor<2x2xf32>) -> tensor<4x4xf32> {
  // CANON-COUNT-2: graph.concat
  %a = graph.concat %x, %x dim 0 : tensor<2x2xf32>, tensor<2x2xf32>
  %b = graph.concat %a, %a dim 1 : tensor<4x2xf32>, tensor<4x2xf32>
  return %b : tensor<4x4xf32>
}
