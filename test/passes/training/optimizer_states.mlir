// RUN: shard-opt %s --training-build-step='loss=mse:y,t optimizer=adafactor' | FileCheck %s --check-prefix=FACTORS
// RUN: shard-opt %s --training-build-step='loss=mse:y,t optimizer=lion' | FileCheck %s --check-prefix=LION
// RUN: shard-opt %s --training-build-step='loss=mse:y,t optimizer=muon adamw-for=head' | FileCheck %s --check-prefix=MUON
// RUN: shard-opt %s --training-build-step='loss=mse:y,t optimizer=sgd' | FileCheck %s --check-prefix=SGD

// What each optimizer keeps of a vector, of matrices and of more dims.
// FACTORS-DAG: tensor<2xf32>, graph.state = "b.adafactor_v", graph.state_of = "b"}
// FACTORS-DAG: tensor<3xf32>, graph.state = "w.adafactor_rows"
// FACTORS-DAG: tensor<2xf32>, graph.state = "w.adafactor_columns"
// FACTORS-DAG: tensor<5x3xf32>, graph.state = "filter.adafactor_rows"
// FACTORS-DAG: tensor<5x2xf32>, graph.state = "filter.adafactor_columns"
// LION-DAG: tensor<2xf32>, graph.state = "b.lion_m"
// LION-DAG: tensor<5x3x2xf32>, graph.state = "filter.lion_m"
// MUON-DAG: graph.state = "b.adam_m"
// MUON-DAG: tensor<3x2xf32>, graph.state = "w.muon_momentum"
// MUON-DAG: graph.state = "head.adam_m"
// MUON-DAG: graph.state = "filter.adam_v"
// SGD: graph.state = "optimizer.step"
// SGD-NOT: graph.state =
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}, %head: tensor<3x2xf32> {graph.parameter = "head"},
    %filter: tensor<5x3x2xf32> {graph.parameter = "filter"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.reduce sum %filter over [0] : tensor<5x3x2xf32>
  %1 = graph.binary add %w, %0 : tensor<3x2xf32>
  %2 = graph.binary mul %1, %head : tensor<3x2xf32>
  %3 = graph.contract %x, %2 batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %4 = graph.broadcast %b to [1] : tensor<2xf32> -> tensor<4x2xf32>
  %5 = graph.binary add %3, %4 : tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}
