// RUN: shard-opt %s | shard-opt | FileCheck %s
// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

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

// CHECK-LABEL: func @gradient
// CANONICAL-LABEL: func @gradient
func.func @gradient(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x5xf32>,
                    %g: tensor<1x4x8x5xf32>, %m: tensor<1x1x8x6xbf16>)
    -> (tensor<1x4x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x5xf32>, tensor<1x1x8x6xbf16>) {
  // CHECK: %[[A:.*]], %{{.*}}, %{{.*}} = graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale 2.500000e-01 causal
  %0:3 = graph.attention_grad %q, %k, %v, %g scale 0.25 causal
      : tensor<1x4x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x5xf32>, tensor<1x4x8x5xf32>
  // CHECK: graph.unary neg %[[A]] : tensor<1x4x8x16xf32>
  %dq = graph.unary neg %0#0 : tensor<1x4x8x16xf32>
  // CHECK: %{{.*}}, %[[K:.*]], %[[V:.*]], %[[M:.*]] = graph.attention_grad %{{.*}} mask %{{.*}} scale 5.000000e-01 mask_gradient {softcap = 5.000000e+01 : f64}
  // CANONICAL: graph.attention_grad {{.*}} mask_gradient
  %1:4 = graph.attention_grad %q, %k, %v, %g mask %m scale 0.5 mask_gradient {softcap = 50.0}
      : tensor<1x4x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x5xf32>, tensor<1x4x8x5xf32>, tensor<1x1x8x6xbf16>
  // CHECK: return %{{.*}}, %[[K]], %[[V]], %[[M]]
  return %dq, %1#1, %1#2, %1#3
      : tensor<1x4x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x5xf32>, tensor<1x1x8x6xbf16>
}

// A gradient of the mask that nobody asks for is not computed.
// CANONICAL-LABEL: func @needless_mask_gradient
func.func @needless_mask_gradient(%q: tensor<1x2x8x16xf32>, %m: tensor<1x1x8x8xf32>)
    -> (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) {
  // CANONICAL: %[[Q:.*]], %{{.*}}, %[[V:.*]] = graph.attention_grad %{{.*}} mask %{{.*}} scale 5.000000e-01 causal {softcap = 2.000000e+00 : f64}
  // CANONICAL-NEXT: return %[[Q]], %[[V]]
  %0:4 = graph.attention_grad %q, %q, %q, %q mask %m scale 0.5 causal mask_gradient {softcap = 2.0}
      : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x8x8xf32>
  return %0#0, %0#2 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
}
