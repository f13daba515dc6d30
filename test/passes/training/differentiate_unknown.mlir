// RUN: not shard-opt %s --training-differentiate='output=lost' 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not shard-opt %s --training-differentiate='arguments=v' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not shard-opt %s --training-differentiate='arguments=ids' 2>&1 | FileCheck %s --check-prefix=INTEGER

// OUTPUT: error: 'func.func' op has no result "lost"; there are "loss"
// ARGUMENT: error: 'func.func' op has no argument "v"; there are "w", "ids", 2
// INTEGER: error: 'func.func' op argument 1 is of type 'tensor<4xi64>'; only floats have gradients
func.func @forward(%w: tensor<f32> {graph.parameter = "w"}, %ids: tensor<4xi64> {graph.input = "ids"}, %x: tensor<f32>)
    -> (tensor<f32> {graph.output = "loss"}) {
  return %w : tensor<f32>
}
