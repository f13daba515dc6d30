// RUN: shard-opt %s --lowering-bufferize --split-input-file | FileCheck %s

// CHECK: exec.variable @w : !exec.buffer<8x2xf32> from #exec.file<"w.bin", 0, 64>
// CHECK-LABEL: exec.program @forward inputs ["x"] outputs ["y"] {
// CHECK: ^bb0(%[[X:.*]]: !exec.buffer<4x8xf32>, %[[Y:.*]]: !exec.buffer<4x2xf32>):
// CHECK: %[[W:.*]] = exec.get @w
// CHECK-NOT: exec.buffer :
// The result is written to the output.
// CHECK: exec.call "contract"(%[[X]], %[[W]]) -> (%[[Y]]) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
func.func @forward(%x: tensor<4x8xf32> {graph.input = "x"},
                   %w: tensor<8x2xf32> {graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 64> : tensor<8x2xf32>})
    -> (tensor<4x2xf32> {graph.output = "y"}) {
  %c = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// -----

// A call that takes strides reads through the transpose; the output is a copy of it.
// CHECK-LABEL: exec.program @forward
// CHECK: ^bb0(%[[A:.*]]: !exec.buffer<4x8xf32>, %[[B:.*]]: !exec.buffer<4x2xf32>, %[[Y:.*]]: !exec.buffer<8x2xf32>, %[[Z:.*]]: !exec.buffer<8x4xf32>):
// CHECK: %[[T:.*]] = exec.view %[[A]] at 0 : <4x8xf32> -> <8x4xf32, strides = [1, 8]>
// CHECK: exec.call "contract"(%[[T]], %[[B]]) -> (%[[Y]])
// CHECK: exec.call "copy"(%[[T]]) -> (%[[Z]])
func.func @forward(%a: tensor<4x8xf32>, %b: tensor<4x2xf32>) -> (tensor<8x2xf32>, tensor<8x4xf32>) {
  %t = graph.transpose %a by [1, 0] : tensor<4x8xf32>
  %y = exec.apply "contract"(%t, %b) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %y, %t : tensor<8x2xf32>, tensor<8x4xf32>
}

// -----

// Two users that need a row-major copy share one.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[COPY:.*]] = exec.buffer : <8x4xf32>
// CHECK: exec.call "copy"(%{{.*}}) -> (%[[COPY]])
// CHECK-NOT: "copy"
// CHECK: exec.call "gather_nd"(%[[COPY]],
// CHECK: exec.call "gather_nd"(%[[COPY]],
func.func @forward(%a: tensor<4x8xf32>, %i: tensor<3x2xi64>) -> (tensor<3xf32>, tensor<3xf32>) {
  %t = graph.transpose %a by [1, 0] : tensor<4x8xf32>
  %y = exec.apply "gather_nd"(%t, %i) : (tensor<8x4xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  %z = exec.apply "gather_nd"(%t, %i) : (tensor<8x4xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}

// -----

// Pieces of a concat are written in place where their producer can; others are copied there.
// CHECK-LABEL: exec.program @forward
// CHECK: ^bb0(%[[A:.*]]: !exec.buffer<2x4xf32>, %[[Y:.*]]: !exec.buffer<4x4xf32>):
// CHECK: %[[LOW:.*]] = exec.view %[[Y]] at 0 : <4x4xf32> -> <2x4xf32>
// CHECK: %[[HIGH:.*]] = exec.view %[[Y]] at 8
// CHECK: exec.call "cumulative"(%[[A]]) -> (%[[HIGH]])
// CHECK: exec.call "copy"(%[[A]]) -> (%[[LOW]])
func.func @forward(%a: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %s = exec.apply "cumulative"(%a) with {kind = "sum", dim = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %c = graph.concat %a, %s dim 0 : tensor<2x4xf32>, tensor<2x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// Splats are one element; equal constants are one variable.
// CHECK: exec.variable @constant.0 : !exec.buffer<f32> from dense<1.000000e+00> : tensor<f32>
// CHECK-NOT: exec.variable
// CHECK-LABEL: exec.program @forward
// CHECK: %[[C:.*]] = exec.get @constant.0
// CHECK: exec.view %[[C]] at 0 : <f32> -> <4x4xf32, strides = [0, 0]>
func.func @forward() -> (tensor<4x4xf32>, tensor<2xf32>) {
  %c = graph.constant dense<1.0> : tensor<4x4xf32>
  %d = graph.constant dense<1.0> : tensor<2xf32>
  return %c, %d : tensor<4x4xf32>, tensor<2xf32>
}

// -----

// An input that is returned, and a value returned twice.
// CHECK-LABEL: exec.program @forward
// CHECK: ^bb0(%[[X:.*]]: !exec.buffer<4xf32>, %[[A:.*]]: !exec.buffer<4xf32>, %[[B:.*]]: !exec.buffer<4xf32>, %[[C:.*]]: !exec.buffer<4xf32>):
// CHECK: exec.call "cumulative"(%[[X]]) -> (%[[A]])
// CHECK: exec.call "copy"(%[[A]]) -> (%[[B]])
// CHECK: exec.call "copy"(%[[X]]) -> (%[[C]])
func.func @forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = exec.apply "cumulative"(%x) with {kind = "sum", dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %s, %s, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Pad fills the whole, then the middle.
// CHECK-LABEL: exec.program @forward
// CHECK: ^bb0(%[[X:.*]]: !exec.buffer<2x2xf32>, %[[V:.*]]: !exec.buffer<f32>, %[[Y:.*]]: !exec.buffer<3x4xf32>):
// CHECK: %[[ALL:.*]] = exec.view %[[V]] at 0 : <f32> -> <3x4xf32, strides = [0, 0]>
// CHECK: %[[MIDDLE:.*]] = exec.view %[[Y]] at 5 : <3x4xf32> -> <2x2xf32, strides = [4, 1]>
// CHECK: exec.call "copy"(%[[ALL]]) -> (%[[Y]])
// CHECK: exec.call "copy"(%[[X]]) -> (%[[MIDDLE]])
func.func @forward(%x: tensor<2x2xf32>, %v: tensor<f32>) -> tensor<3x4xf32> {
  %y = graph.pad %x, %v low [1, 1] high [0, 1] : tensor<2x2xf32>, tensor<f32>
  return %y : tensor<3x4xf32>
}

// -----

// Equal clusters are one kernel.
// CHECK: exec.kernel @kernel_0
// CHECK-NOT: exec.kernel
// CHECK-LABEL: exec.program @forward
// CHECK: exec.launch @kernel_0(%{{.*}}) -> (%[[T:.*]]) :
// CHECK: exec.launch @kernel_0(%[[T]]) -> (%{{.*}}) :
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.cluster(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.unary exp %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  %z = graph.cluster(%y) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.unary exp %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

// -----

// The default of an input is a variable, which the program itself does not read.
// CHECK: exec.variable @x : !exec.buffer<2xf32> from dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-LABEL: exec.program @forward inputs ["x"] outputs ["x"] defaults {x = @x} {
// CHECK: ^bb0(%[[X:.*]]: !exec.buffer<2xf32>, %[[Y:.*]]: !exec.buffer<2xf32>):
// CHECK-NEXT: exec.call "copy"(%[[X]]) -> (%[[Y]])
func.func @forward(%x: tensor<2xf32> {graph.input = "x", graph.source = dense<[1.0, 2.0]> : tensor<2xf32>})
    -> (tensor<2xf32> {graph.output = "x"}) {
  return %x : tensor<2xf32>
}

// -----

// Results that update variables are no outputs: they go to the variables when nothing reads these any more. Two that
// swap their values are read first.
// CHECK: exec.variable @w : !exec.buffer<4xf32> from dense<2.000000e+00> : tensor<4xf32> as parameter
// CHECK: exec.variable @v : !exec.buffer<4xf32> from dense<1.000000e+00> : tensor<4xf32> as state
// CHECK-LABEL: exec.program @train_step inputs ["x"] outputs ["y"] micro_batches 2 paddings {x = -100 : i64} {
// CHECK: %[[W:.*]] = exec.get @w
// CHECK: %[[V:.*]] = exec.get @v
// CHECK: exec.call "copy"(%[[W]]) -> (%[[OLD_W:[0-9]+]])
// CHECK: exec.call "copy"(%[[W]]) -> (%arg1)
// CHECK: exec.call "copy"(%[[V]]) -> (%[[OLD_V:[0-9]+]])
// CHECK: exec.call "copy"(%[[OLD_W]]) -> (%[[V]])
// CHECK: exec.call "copy"(%[[OLD_V]]) -> (%[[W]])
func.func @step(%w: tensor<4xf32> {graph.parameter = "w", graph.kept, graph.source = dense<2.0> : tensor<4xf32>},
                %v: tensor<4xf32> {graph.state = "v", graph.source = dense<1.0> : tensor<4xf32>},
                %x: tensor<2x1xi64> {graph.input = "x", graph.padding = -100 : i64})
    -> (tensor<4xf32> {graph.update = "v"}, tensor<4xf32> {graph.output = "y"}, tensor<4xf32> {graph.update = "w"})
    attributes {graph.program = "train_step", graph.micro_batches = 2 : i64} {
  return %w, %w, %v : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
