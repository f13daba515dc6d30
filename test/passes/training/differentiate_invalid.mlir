// RUN: shard-opt %s -split-input-file -verify-diagnostics --training-differentiate

// expected-error @+1 {{result 0 is of type 'tensor<4xf32>'; what is differentiated must be a float of one element, such as a loss}}
func.func @not_scalar(%w: tensor<4xf32> {graph.parameter = "w"}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 is of type 'tensor<i64>'; what is differentiated must be a float of one element, such as a loss}}
func.func @integer(%w: tensor<4xf32> {graph.parameter = "w"}) -> tensor<i64> {
  %0 = graph.arg_reduce max %w dim 0 : tensor<4xf32>
  return %0 : tensor<i64>
}

// -----

// expected-error @+1 {{has 2 results; say which one to differentiate by output=, of "loss", 1}}
func.func @which(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "loss"}, tensor<f32>) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{has no float parameters; say by arguments= what to differentiate by}}
func.func @no_parameters(%x: tensor<f32> {graph.input = "x"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has a result named "w.grad" already, which is the name of the gradient of "w"; rename it}}
func.func @taken(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "w.grad"}) {
  return %w : tensor<f32>
}

// -----

// All ops without a gradient are named in one run; those off the way are none of our business.
func.func @loops(%w: tensor<f32> {graph.parameter = "w"}, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'graph.loop' op has no gradient; repeat its body first (--lowering-unroll-loops)}}
  %0 = graph.loop 2(%w) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    graph.yield %a : tensor<f32>
  }
  // expected-error @+1 {{'graph.loop' op has no gradient}}
  %1 = graph.loop 2(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    %b = graph.binary mul %a, %w : tensor<f32>
    graph.yield %b : tensor<f32>
  }
  %2 = graph.loop 2(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    graph.yield %a : tensor<f32>
  }
  %3 = graph.binary mul %0, %1 : tensor<f32>
  %4 = graph.binary mul %3, %2 : tensor<f32>
  return %4 : tensor<f32>
}
