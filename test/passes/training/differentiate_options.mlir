// RUN: shard-opt %s --training-differentiate='output=total arguments=x' | FileCheck %s --check-prefixes=CHECK,X
// RUN: shard-opt %s --training-differentiate='output=1 arguments=w,0,x' | FileCheck %s --check-prefixes=CHECK,BOTH

// Results and arguments go by name or by index; one that is named twice has one gradient.
// CHECK-LABEL: func @forward
// X-SAME: tensor<1xf32> {graph.output = "total"}, tensor<4xf32> {graph.output = "x.grad"})
// BOTH-SAME: tensor<1xf32> {graph.output = "total"}, tensor<4xf32> {graph.output = "w.grad"}, tensor<4xf32> {graph.output = "x.grad"})
func.func @forward(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.parameter = "w"})
    -> (tensor<4xf32> {graph.output = "y"}, tensor<1xf32> {graph.output = "total"}) {
  %0 = graph.binary mul %x, %w : tensor<4xf32>
  %1 = graph.reduce sum %0 over [0] : tensor<4xf32>
  %2 = graph.reshape %1 : tensor<f32> -> tensor<1xf32>
  return %0, %2 : tensor<4xf32>, tensor<1xf32>
}

// What has no body stays.
// CHECK: func private @elsewhere
func.func private @elsewhere(tensor<4xf32>) -> tensor<f32>
