// RUN: not shard-opt %s -split-input-file --training-build-step=loss=mse:y,t 2>&1 | FileCheck %s

// A parameter has the name of another's state.
// CHECK: "w.adam_m" is the name of two values of the step: of a parameter or input of the model, and of a state or label; rename that in the model
func.func @forward(%x: tensor<2x4xf32> {graph.input = "x"}, %w: tensor<2x4xf32> {graph.parameter = "w"},
                   %m: tensor<2x4xf32> {graph.parameter = "w.adam_m"}) -> (tensor<2x4xf32> {graph.output = "y"}) {
  %0 = graph.binary mul %x, %w : tensor<2x4xf32>
  %1 = graph.binary add %0, %m : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// The loss depends on no parameter.
// CHECK: nothing to train: the loss depends on no parameter that is trained
func.func @forward(%x: tensor<2x4xf32> {graph.input = "x"}, %w: tensor<2x4xf32> {graph.parameter = "w"})
    -> (tensor<2x4xf32> {graph.output = "y"}, tensor<2x4xf32> {graph.output = "z"}) {
  %0 = graph.binary mul %x, %x : tensor<2x4xf32>
  %1 = graph.binary mul %x, %w : tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// What would be labels is a weight.
// CHECK: loss "mse:y,t": "t" is a parameter or an output of the model; name an input, or a new one
func.func @forward(%x: tensor<2x4xf32> {graph.input = "x"}, %w: tensor<2x4xf32> {graph.parameter = "t"})
    -> (tensor<2x4xf32> {graph.output = "y"}) {
  %0 = graph.binary mul %x, %w : tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
