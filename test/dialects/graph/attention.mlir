// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @forms
func.func @forms(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x5xf32>,
                 %m: tensor<1x1x8x6xf32>, %c: tensor<1x1x8x4xf32>) {
  // CHECK: %[[O:.*]] = graph.attention %{{.*}} mask %{{.*}} scale 2.500000e-01 causal {softcap = 5.000000e+01 : f64}
  %o = graph.attention %q, %k, %v mask %m scale 0.25 causal {softcap = 50.0}
      : tensor<1x4x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x5xf32>, tensor<1x1x8x6xf32>
  // CHECK: graph.unary neg %[[O]] : tensor<1x4x8x5xf32>
  %o2 = graph.unary neg %o : tensor<1x4x8x5xf32>
  // CHECK: graph.rotary %{{.*}} interleaved
  %r = graph.rotary %q, %c, %c interleaved : tensor<1x4x8x16xf32>, tensor<1x1x8x4xf32>
  return
}
