// RUN: shard-opt %s | shard-opt | FileCheck %s
// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<0xi64>, tensor<2xi8>) {
  // CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: graph.constant #graph.external<"w.bin", 4096, 8> : tensor<2xf32>
  %b = graph.constant #graph.external<"w.bin", 4096, 8> : tensor<2xf32>
  // CHECK: graph.constant dense<[true, false, true]> : tensor<3xi1>
  %c = graph.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK: graph.constant dense<> : tensor<0xi64>
  %d = graph.constant dense<> : tensor<0xi64>
  // CHECK: graph.constant dense_resource<bytes> : tensor<2xi8>
  %e = graph.constant dense_resource<bytes> : tensor<2xi8>
  return %a, %b, %c, %d, %e
      : tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<0xi64>, tensor<2xi8>
}

// Two elements of four bits take one byte of a file.
// CHECK-LABEL: func @external_int4
func.func @external_int4() -> tensor<3xi4> {
  // CHECK: #graph.external<"w.bin", 0, 2> : tensor<3xi4>
  %a = graph.constant #graph.external<"w.bin", 0, 2> : tensor<3xi4>
  return %a : tensor<3xi4>
}

// CHECK-LABEL: func @iota
func.func @iota() -> tensor<2x4xi64> {
  // CHECK: graph.iota dim 1 : tensor<2x4xi64>
  %i = graph.iota dim 1 : tensor<2x4xi64>
  return %i : tensor<2x4xi64>
}

// CHECK-LABEL: func @random
func.func @random() -> tensor<4x8xf32> {
  // CHECK: graph.random uniform seed 7(0.000000e+00, 1.000000e+00) : tensor<4x8xf32>
  %r = graph.random uniform seed 7 (0.0, 1.0) : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func @random_of_a_step
func.func @random_of_a_step(%step: tensor<i64>, %first: tensor<i64>) -> (tensor<4x8xi1>, tensor<4x2xf16>, tensor<2x8xf64>) {
  // CHECK: graph.random bernoulli seed 7 counter %{{.*}}(9.000000e-01, 0.000000e+00) : tensor<4x8xi1>
  %a = graph.random bernoulli seed 7 counter %step (0.9, 0.0) : tensor<4x8xi1>
  // CHECK: graph.random normal seed -1(0.000000e+00, 1.000000e+00) at %{{.*}} of [8, 8] : tensor<4x2xf16>
  %b = graph.random normal seed -1 (0.0, 1.0) at %first of [8, 8] : tensor<4x2xf16>
  // CHECK: graph.random uniform seed 7 counter %{{.*}}(0.000000e+00, 1.000000e+00) at %{{.*}} of [8, 8] : tensor<2x8xf64>
  %c = graph.random uniform seed 7 counter %step (0.0, 1.0) at %first of [8, 8] : tensor<2x8xf64>
  return %a, %b, %c : tensor<4x8xi1>, tensor<4x2xf16>, tensor<2x8xf64>
}

// Every role an argument or result can have.
// CHECK-LABEL: func @roles
// CHECK-SAME: graph.input = "x"
// CHECK-SAME: graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 8> : tensor<2xf32>
// CHECK-SAME: graph.source = dense<0> : tensor<i64>, graph.state = "step"
// CHECK-SAME: graph.output = "y"
func.func @roles(%x: tensor<2xf32> {graph.input = "x"},
    %w: tensor<2xf32> {graph.parameter = "w",
                       graph.source = #graph.external<"w.bin", 0, 8> : tensor<2xf32>},
    %s: tensor<i64> {graph.state = "step", graph.source = dense<0> : tensor<i64>})
    -> (tensor<2xf32> {graph.output = "y"}) {
  return %x : tensor<2xf32>
}

// Reshapes of values in files and of resources move no bytes.
// FOLD-LABEL: func @reshape_stored
func.func @reshape_stored() -> (tensor<2x1xf32>, tensor<1x2xi8>) {
  // FOLD-DAG: graph.constant #graph.external<"w.bin", 4096, 8> : tensor<2x1xf32>
  %a = graph.constant #graph.external<"w.bin", 4096, 8> : tensor<2xf32>
  %b = graph.reshape %a : tensor<2xf32> -> tensor<2x1xf32>
  // FOLD-DAG: graph.constant dense_resource<bytes> : tensor<1x2xi8>
  %c = graph.constant dense_resource<bytes> : tensor<2xi8>
  %d = graph.reshape %c : tensor<2xi8> -> tensor<1x2xi8>
  return %b, %d : tensor<2x1xf32>, tensor<1x2xi8>
}

{-#
  dialect_resources: {
    builtin: {
      bytes: "0x010000000102"
    }
  }
#-}
