// RUN: shard-opt %s --lowering-unroll-loops -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @twice
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: graph.loop
  // CHECK: %[[A:.*]] = graph.binary add %arg0, %arg0
  // CHECK: %[[B:.*]] = graph.binary add %[[A]], %[[A]]
  // CHECK: return %[[B]]
  %r = graph.loop 2(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %b = graph.binary add %a, %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @too_long(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the loop of 1000000 trips over 1 ops is too long; 200000 ops are the limit}}
  %r = graph.loop 1000000(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %b = graph.binary add %a, %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
