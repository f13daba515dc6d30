// RUN: shard-opt %s --lowering-outline-loops -split-input-file | FileCheck %s

// The trips are a function of their own. The parameter is taken by who needs it, as is a view of it; the sum is carried,
// and so are the index and what the begin computes for the trips.
// CHECK-LABEL: func.func @step.begin(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32> {graph.input = "x"}, %{{.*}}: tensor<8xf32> {graph.input = "unused"})
// CHECK-SAME: -> (tensor<i64> {exec.carried = "step.carried.trip"}, tensor<4xf32> {exec.carried = "step.carried.value"},
// CHECK-SAME: tensor<f32> {exec.carried = "step.carried.value.1"}, tensor<f32> {graph.output = "largest"})
// CHECK-SAME: attributes {graph.program = "step.begin"}
// CHECK: %[[ZEROS:.*]] = graph.constant dense<0.0
// CHECK: %[[MAX:.*]] = graph.reduce max %[[X]] over [0, 1]
// CHECK: %[[ZERO:.*]] = graph.constant dense<0> : tensor<i64>
// CHECK: return %[[ZERO]], %[[ZEROS]], %[[MAX]], %[[MAX]]

// CHECK-LABEL: func.func @step.micro_batch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32> {graph.input = "x"}, %[[W:[^:]*]]: tensor<2x2xf32> {graph.parameter = "w"},
// CHECK-SAME: %[[MAX:[^:]*]]: tensor<f32> {exec.carried = "step.carried.value.1"},
// CHECK-SAME: %[[I:[^:]*]]: tensor<i64> {exec.carried = "step.carried.trip"},
// CHECK-SAME: %[[SUM:[^:]*]]: tensor<4xf32> {exec.carried = "step.carried.value"})
// CHECK-SAME: -> (tensor<4xf32> {exec.carried = "step.carried.value"}, tensor<i64> {exec.carried = "step.carried.trip"})
// CHECK: %[[V:.*]] = graph.reshape %[[W]]
// CHECK: graph.gather %[[X]], %[[I]]
// CHECK: graph.broadcast %[[MAX]]
// CHECK: %[[NEXT:.*]] = graph.binary add %[[SUM]], %{{.*}}
// CHECK: %[[J:.*]] = graph.binary add %[[I]], %{{.*}} : tensor<i64>
// CHECK: return %[[NEXT]], %[[J]]

// What is updated is so at the end, though the begin could. What only the end needs it computes.
// CHECK-LABEL: func.func @step.end(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x4xf32> {graph.input = "x"}, %[[W:[^:]*]]: tensor<2x2xf32> {graph.parameter = "w"},
// CHECK-SAME: %[[MAX:[^:]*]]: tensor<f32> {exec.carried = "step.carried.value.1"},
// CHECK-SAME: %[[SUM:[^:]*]]: tensor<4xf32> {exec.carried = "step.carried.value"})
// CHECK-SAME: -> (tensor<4xf32> {graph.output = "sum"}, tensor<2x2xf32> {graph.update = "w"})
// CHECK: graph.reduce min %[[X]]
// CHECK: graph.binary mul %[[SUM]]
// CHECK: graph.broadcast %[[MAX]] to []

// CHECK: exec.schedule @step inputs ["x", "unused"] outputs ["sum", "largest"] micro_batches 3 {
// CHECK-NEXT: exec.run @step.begin{{$}}
// CHECK-NEXT: exec.run @step.micro_batch times 3
// CHECK-NEXT: exec.run @step.end{{$}}
// CHECK-NOT: func.func @train
func.func @train(%x: tensor<3x4xf32> {graph.input = "x"}, %w: tensor<2x2xf32> {graph.parameter = "w"},
    %unused: tensor<8xf32> {graph.input = "unused"})
    -> (tensor<4xf32> {graph.output = "sum"}, tensor<f32> {graph.output = "largest"},
        tensor<2x2xf32> {graph.update = "w"})
    attributes {graph.program = "step", graph.micro_batches = 3 : i64} {
  %zeros = graph.constant dense<0.0> : tensor<4xf32>
  %max = graph.reduce max %x over [0, 1] : tensor<3x4xf32>
  %min = graph.reduce min %x over [0, 1] : tensor<3x4xf32>
  %v = graph.reshape %w : tensor<2x2xf32> -> tensor<4xf32>
  %r = graph.loop 3(%zeros) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %sum: tensor<4xf32>):
    %part = graph.gather %x, %i dim 0 batch 0 : tensor<3x4xf32>, tensor<i64>
    %m = graph.broadcast %max to [] : tensor<f32> -> tensor<4xf32>
    %a = graph.binary mul %part, %m : tensor<4xf32>
    %b = graph.binary mul %a, %v : tensor<4xf32>
    %next = graph.binary add %sum, %b : tensor<4xf32>
    graph.yield %next : tensor<4xf32>
  }
  %n = graph.broadcast %min to [] : tensor<f32> -> tensor<4xf32>
  %y = graph.binary mul %r, %n : tensor<4xf32>
  %u = graph.broadcast %max to [] : tensor<f32> -> tensor<2x2xf32>
  return %y, %max, %u : tensor<4xf32>, tensor<f32>, tensor<2x2xf32>
}

// -----

// Of several loops the longest is kept; those within it, and those that run once, are not. Inputs and outputs without
// names have those of their places.
// CHECK-LABEL: func.func @forward.begin(
// CHECK-COUNT-2: graph.unary neg
// CHECK-NOT: graph.loop
// CHECK-LABEL: func.func @forward.trip(
// CHECK-COUNT-2: graph.unary exp
// CHECK-NOT: graph.unary exp
// CHECK-NOT: graph.binary add
// CHECK-LABEL: func.func @forward.end(
// CHECK-SAME: graph.input = "input1"
// CHECK-SAME: graph.output = "output0"
// CHECK: graph.unary abs
// CHECK-NOT: graph.unary abs
// CHECK: exec.schedule @forward inputs ["input0", "input1"] outputs ["output0"] {
// CHECK: exec.run @forward.trip times 9
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.loop 2(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %n = graph.unary neg %v : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  %b = graph.loop 9(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = graph.loop 2(%v) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
      %e = graph.unary exp %u : tensor<4xf32>
      graph.yield %e : tensor<4xf32>
    }
    graph.yield %w : tensor<4xf32>
  }
  %c = graph.loop 1(%b) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %m = graph.unary abs %v : tensor<4xf32>
    graph.yield %m : tensor<4xf32>
  }
  %r = graph.binary add %c, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// What no trip reads is not given to the first; what no trip changes is given once. Names that are taken stay whose
// they are.
// CHECK-LABEL: func.func @forward.begin(
// CHECK-SAME: -> (tensor<2xf32> {exec.carried = "forward.carried.value.2"})
// CHECK-LABEL: func.func @forward.trip(
// CHECK-SAME: exec.carried = "forward.carried.value.2"
// CHECK-SAME: -> (tensor<4xf32> {exec.carried = "forward.carried.value.1"})
// CHECK-LABEL: func.func @forward.end(
// CHECK-SAME: exec.carried = "forward.carried.value.1"
// CHECK-SAME: exec.carried = "forward.carried.value.2"
func.func @forward(%x: tensor<4xf32> {graph.input = "x"},
    %z: tensor<2xf32> {graph.input = "forward.carried.value"})
    -> (tensor<4xf32> {graph.output = "y"}, tensor<2xf32> {graph.output = "z"}) {
  %0:2 = graph.loop 3(%x, %z) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %w: tensor<2xf32>):
    %s = graph.reduce sum %w over [0] : tensor<2xf32>
    %b = graph.broadcast %s to [] : tensor<f32> -> tensor<4xf32>
    graph.yield %b, %w : tensor<4xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @straight
// CHECK-NOT: exec.schedule
func.func @straight(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.unary neg %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Of a value and its views one is carried; of a slice, the slice.
// CHECK-LABEL: func.func @forward.begin(
// CHECK-SAME: -> (tensor<2xf32> {exec.carried = "forward.carried.value"},
// CHECK-SAME: tensor<2x3xf32> {exec.carried = "forward.carried.value.1"}, tensor<2xf32> {exec.carried = "forward.carried.value.2"})
// CHECK-LABEL: func.func @forward.trip(
// CHECK-SAME: %[[E:[^:]*]]: tensor<2x3xf32> {exec.carried = "forward.carried.value.1"}
// CHECK: graph.transpose %[[E]] by [1, 0]
// CHECK-LABEL: func.func @forward.end(
func.func @views(%x: tensor<2x3xf32> {graph.input = "x"}, %y: tensor<2xf32> {graph.input = "y"})
    -> (tensor<2xf32> {graph.output = "z"}) {
  %e = graph.unary exp %x : tensor<2x3xf32>
  %t = graph.transpose %e by [1, 0] : tensor<2x3xf32>
  %s = graph.reshape %e : tensor<2x3xf32> -> tensor<6xf32>
  %f = graph.unary exp %s : tensor<6xf32>
  %c = graph.slice %f from [0] to [2] by [1] : tensor<6xf32>
  %r = graph.loop 3(%y) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %a = graph.reduce sum %t over [0] : tensor<3x2xf32>
    %b = graph.reduce sum %e over [1] : tensor<2x3xf32>
    %0 = graph.binary add %a, %b : tensor<2xf32>
    %1 = graph.binary add %0, %c : tensor<2xf32>
    %2 = graph.binary add %1, %v : tensor<2xf32>
    graph.yield %2 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
