// RUN: shard-opt %s --sharding-annotate=strict -verify-diagnostics

// All ops without a rule are named in one run.
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no sharding rule; use strict=false to replicate it}}
  %0 = graph.loop 4(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %1 = graph.binary add %a, %a : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  // expected-error @+1 {{has no sharding rule}}
  %2 = graph.cluster(%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %3 = graph.unary exp %a : tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
