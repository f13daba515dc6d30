// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<2x4x8xf32>, %i: tensor<2x3x5xi64>, %e: tensor<2x4x3xi64>,
                  %u: tensor<2x4x3xf32>, %n: tensor<2x3x1xi64>, %w: tensor<2x3x4x8xf32>) {
  // CHECK: %[[G:.*]] = graph.gather %{{.*}} dim 1 batch 1
  %g = graph.gather %x, %i dim 1 batch 1 : tensor<2x4x8xf32>, tensor<2x3x5xi64>
  // CHECK: graph.unary neg %[[G]] : tensor<2x3x5x8xf32>
  %g2 = graph.unary neg %g : tensor<2x3x5x8xf32>
  %h = graph.gather_elements %x, %e dim 2 : tensor<2x4x8xf32>, tensor<2x4x3xi64>
  %h2 = graph.unary neg %h : tensor<2x4x3xf32>
  %k = graph.gather_nd %x, %n batch 1 : tensor<2x4x8xf32>, tensor<2x3x1xi64>
  %k2 = graph.unary neg %k : tensor<2x3x8xf32>
  %s = graph.scatter_elements add %x, %e, %u dim 2
      : tensor<2x4x8xf32>, tensor<2x4x3xi64>, tensor<2x4x3xf32>
  %s2 = graph.scatter_nd set %x, %n, %w
      : tensor<2x4x8xf32>, tensor<2x3x1xi64>, tensor<2x3x4x8xf32>
  %s3 = graph.binary add %s, %s2 : tensor<2x4x8xf32>
  return
}
