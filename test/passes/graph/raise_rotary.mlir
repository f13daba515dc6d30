// RUN: shard-opt %s --graph-raise --canonicalize | FileCheck %s

// Llama: x cos + rotate_half(x) sin, with tables from angles put side by side.
// CHECK-LABEL: func @rotated_halves
func.func @rotated_halves(%x: tensor<1x2x3x8xf32>, %angles: tensor<1x3x4xf32>) -> tensor<1x2x3x8xf32> {
  // CHECK: graph.rotary %arg0, %{{.*}} : tensor<1x2x3x8xf32>, tensor<1x1x3x4xf32>
  // CHECK-NEXT: return
  %both = graph.concat %angles, %angles dim 2 : tensor<1x3x4xf32>, tensor<1x3x4xf32>
  %cos = graph.unary cos %both : tensor<1x3x8xf32>
  %sin = graph.unary sin %both : tensor<1x3x8xf32>
  %cos1 = graph.reshape %cos : tensor<1x3x8xf32> -> tensor<1x1x3x8xf32>
  %sin1 = graph.reshape %sin : tensor<1x3x8xf32> -> tensor<1x1x3x8xf32>
  %cos2 = graph.broadcast %cos1 to [0, 1, 2, 3] : tensor<1x1x3x8xf32> -> tensor<1x2x3x8xf32>
  %sin2 = graph.broadcast %sin1 to [0, 1, 2, 3] : tensor<1x1x3x8xf32> -> tensor<1x2x3x8xf32>
  %second = graph.slice %x from [0, 0, 0, 4] to [1, 2, 3, 8] by [1, 1, 1, 1] : tensor<1x2x3x8xf32>
  %first = graph.slice %x from [0, 0, 0, 0] to [1, 2, 3, 4] by [1, 1, 1, 1] : tensor<1x2x3x8xf32>
  %negated = graph.unary neg %second : tensor<1x2x3x4xf32>
  %turned = graph.concat %negated, %first dim 3 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  %a = graph.binary mul %x, %cos2 : tensor<1x2x3x8xf32>
  %b = graph.binary mul %turned, %sin2 : tensor<1x2x3x8xf32>
  %y = graph.binary add %a, %b : tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// Tables whose halves are not known to be equal are another map.
// CHECK-LABEL: func @unknown_tables
func.func @unknown_tables(%x: tensor<3x8xf32>, %cos: tensor<3x8xf32>, %sin: tensor<3x8xf32>) -> tensor<3x8xf32> {
  // CHECK-NOT: graph.rotary
  %second = graph.slice %x from [0, 4] to [3, 8] by [1, 1] : tensor<3x8xf32>
  %first = graph.slice %x from [0, 0] to [3, 4] by [1, 1] : tensor<3x8xf32>
  %negated = graph.unary neg %second : tensor<3x4xf32>
  %turned = graph.concat %negated, %first dim 1 : tensor<3x4xf32>, tensor<3x4xf32>
  %a = graph.binary mul %x, %cos : tensor<3x8xf32>
  %b = graph.binary mul %turned, %sin : tensor<3x8xf32>
  %y = graph.binary add %a, %b : tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// The halves changed in place of each other: not a rotation.
// CHECK-LABEL: func @wrong_order
func.func @wrong_order(%x: tensor<3x8xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x8xf32> {
  // CHECK-NOT: graph.rotary
  %second = graph.slice %x from [0, 4] to [3, 8] by [1, 1] : tensor<3x8xf32>
  %first = graph.slice %x from [0, 0] to [3, 4] by [1, 1] : tensor<3x8xf32>
  %a = graph.binary mul %second, %cos : tensor<3x4xf32>
  %b = graph.binary mul %first, %sin : tensor<3x4xf32>
  %c = graph.binary mul %first, %cos : tensor<3x4xf32>
  %d = graph.binary mul %second, %sin : tensor<3x4xf32>
  %u = graph.binary sub %a, %b : tensor<3x4xf32>
  %v = graph.binary add %c, %d : tensor<3x4xf32>
  %y = graph.concat %u, %v dim 1 : tensor<3x4xf32>, tensor<3x4xf32>
  return %y : tensor<3x8xf32>
}
