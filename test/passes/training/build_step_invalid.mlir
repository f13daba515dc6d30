// RUN: shard-opt %s -split-input-file -verify-diagnostics --training-build-step='loss=output:y'

// expected-error @+1 {{input "mask" of type 'tensor<f32>' has no dim 0 of samples as the first input has; fix it by --constant or --feed}}
func.func @scalar_input(%x: tensor<4xf32> {graph.input = "x"}, %mask: tensor<f32> {graph.input = "mask"},
    %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{input "ids" of type 'tensor<3xi64>' has no dim 0 of samples as the first input has}}
func.func @other_batch(%x: tensor<4xf32> {graph.input = "x"}, %ids: tensor<3xi64> {graph.input = "ids"},
    %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %w : tensor<f32>
}

// -----

// Elements may be counted in 8 bytes each, so a single micro-batch can be too many.
// expected-error @+1 {{1 micro-batches of "x", each of type 'tensor<1200000000000000000xf32>', are more than 64 bits can count}}
func.func @too_many(%x: tensor<1200000000000000000xf32> {graph.input = "x"},
    %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{nothing to train: the model has no float parameter that is not frozen}}
func.func @integers(%x: tensor<f32>, %w: tensor<i64> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has 2 functions; a step is made of one, of one block}}
module {
  func.func @one(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
    return %w : tensor<f32>
  }
  func.func @two(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
    return %w : tensor<f32>
  }
}

// -----

// An op on the way that has no gradient is named.
func.func @loop(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  // expected-error @+1 {{has no gradient; repeat its body first (--lowering-unroll-loops)}}
  %0 = graph.loop 2(%w) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    graph.yield %a : tensor<f32>
  }
  return %0 : tensor<f32>
}
