// RUN: shard-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @dims
func.func @dims() -> (tensor<2xi64>, tensor<3xi64>, tensor<i64>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[6, 15]> : tensor<2xi64>
  %a = graph.reduce sum %x over [1] : tensor<2x3xi64>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[4, 10, 18]> : tensor<3xi64>
  %b = graph.reduce prod %x over [0] : tensor<2x3xi64>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<6> : tensor<i64>
  %c = graph.reduce max %x over [0, 1] : tensor<2x3xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %a, %b, %c : tensor<2xi64>, tensor<3xi64>, tensor<i64>
}

// Sums of narrow floats are rounded once: 2048 + 1 + 1 is 2050 in f16.
// CHECK-LABEL: func @types
func.func @types() -> (tensor<f16>, tensor<f32>, tensor<ui8>, tensor<i1>, tensor<i1>) {
  %h = graph.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<2.050000e+03> : tensor<f16>
  %a = graph.reduce sum %h over [0] : tensor<3xf16>
  %n = graph.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<0x7FC00000> : tensor<f32>
  %b = graph.reduce min %n over [0] : tensor<3xf32>
  %u = graph.constant dense<[200, 100, 3]> : tensor<3xui8>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<47> : tensor<ui8>
  %c = graph.reduce sum %u over [0] : tensor<3xui8>
  %p = graph.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<true> : tensor<i1>
  %d = graph.reduce any %p over [0] : tensor<3xi1>
  // CHECK-DAG: %[[E:.*]] = graph.constant dense<false> : tensor<i1>
  %e = graph.reduce all %p over [0] : tensor<3xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %a, %b, %c, %d, %e : tensor<f16>, tensor<f32>, tensor<ui8>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: func @nothing
func.func @nothing() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<0xf32>) {
  %x = graph.constant dense<> : tensor<2x0xf32>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
  %a = graph.reduce prod %x over [1] : tensor<2x0xf32>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<0xFF800000> : tensor<2xf32>
  %b = graph.reduce max %x over [1] : tensor<2x0xf32>
  %i = graph.constant dense<> : tensor<2x0xi8>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<127> : tensor<2xi8>
  %c = graph.reduce min %i over [1] : tensor<2x0xi8>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<> : tensor<0xf32>
  %d = graph.reduce sum %x over [0] : tensor<2x0xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<0xf32>
}

// CHECK-LABEL: func @no_dims
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @no_dims(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.reduce sum %x over [] : tensor<4xf32>
  // CHECK: return %[[X]]
  return %a : tensor<4xf32>
}
