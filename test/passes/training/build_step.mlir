// RUN: shard-opt %s --training-build-step='loss=cross_entropy:y,labels optimizer=adam freeze=table' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: shard-opt %s --training-build-step='loss=mse:y,t optimizer=sgd micro-batches=3 clip-norm=1' | FileCheck %s --check-prefixes=CHECK,LOOP

// Inputs get a dim of micro-batches; labels that are no input become one, of which some count for nothing. A frozen
// parameter has no state, an integer is none that is trained.
// CHECK-LABEL: func.func @train_step(
// ONE-SAME: tensor<1x4x3xf32> {graph.input = "x"}
// LOOP-SAME: tensor<3x4x3xf32> {graph.input = "x"}
// CHECK-SAME: tensor<3x2xf32> {graph.kept, graph.parameter = "w"}
// CHECK-SAME: tensor<2xbf16> {graph.kept, graph.parameter = "table"}
// CHECK-SAME: tensor<i64> {graph.kept, graph.parameter = "n"}
// ONE-SAME: tensor<1x4xi64> {graph.input = "labels", graph.padding = -100 : i64}
// LOOP-SAME: tensor<3x4x2xf32> {graph.input = "t"}
// CHECK-SAME: tensor<i64> {graph.source = dense<0> : tensor<i64>, graph.state = "optimizer.step"}
// ONE-SAME: graph.state = "w.adam_m", graph.state_of = "w"}
// ONE-SAME: graph.state = "w.adam_v", graph.state_of = "w"}
// CHECK-SAME: -> (tensor<f32> {graph.output = "loss"}, tensor<f32> {graph.output = "count"}, tensor<f32> {graph.output = "grad_norm"}, tensor<f32> {graph.output = "learning_rate"}, tensor<i64> {graph.update = "optimizer.step"}
// CHECK-SAME: tensor<3x2xf32> {graph.update = "w"}
// LOOP-SAME: tensor<2xbf16> {graph.update = "table"}
// ONE-NOT: graph.update = "table"
// ONE-SAME: graph.micro_batches = 1 : i64, graph.program = "train_step"}
// LOOP-SAME: graph.micro_batches = 3 : i64, graph.program = "train_step"}
// ONE-NOT: graph.loop
// ONE: dist.mark weight {{.*}} of "w"
// ONE: %[[MEAN:.*]] = graph.binary div
// ONE: dist.mark loss %[[MEAN]]
// ONE: dist.mark gradient {{.*}} of "w"
// LOOP: graph.loop 3
// LOOP: dist.mark loss
// LOOP: dist.mark gradient_part {{.*}} of "w"
// LOOP: dist.mark gradient_part {{.*}} of "table"
// LOOP: graph.yield
// LOOP: dist.mark gradient {{.*}} of "w"

// An evaluation has no states, and counts what is right where there are classes.
// CHECK-LABEL: func.func @eval(
// CHECK-SAME: tensor<1x4x3xf32> {graph.input = "x"}
// CHECK-NOT: graph.state
// CHECK-SAME: -> (tensor<f32> {graph.output = "loss"}, tensor<f32> {graph.output = "count"}
// ONE-SAME: tensor<f32> {graph.output = "correct"})
// CHECK-SAME: graph.micro_batches = 1 : i64, graph.program = "eval"}
// CHECK-NOT: func.func @forward
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "w"},
    %table: tensor<2xbf16> {graph.parameter = "table"}, %n: tensor<i64> {graph.parameter = "n"})
    -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.cast %table : tensor<2xbf16> -> tensor<2xf32>
  %2 = graph.broadcast %1 to [1] : tensor<2xf32> -> tensor<4x2xf32>
  %3 = graph.binary add %0, %2 : tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}
