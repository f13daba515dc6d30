// Which parameters are needed together.
// RUN: shard-opt %s --sharding-group-parameters | FileCheck %s

// A matrix before the blocks, two blocks of a scale and a matrix, and a scale and a matrix behind them. The scale behind
// is that of a block too, so blocks could begin one later; but then they would hand on two values instead of one. The order
// of arguments does not count.
// CHECK-LABEL: func @blocks
// CHECK-SAME: {dist.group = 3 : i64, graph.parameter = "head"}
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "s0"}
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "w0"}
// CHECK-SAME: {dist.group = 2 : i64, graph.parameter = "s1"}
// CHECK-SAME: {dist.group = 2 : i64, graph.parameter = "w1"}
// CHECK-SAME: {dist.group = 3 : i64, graph.parameter = "s2"}
// CHECK-SAME: {dist.group = 0 : i64, graph.parameter = "first"}
// CHECK-SAME: {graph.input = "x"}
func.func @blocks(
    %head: tensor<4x5xf32> {graph.parameter = "head"},
    %s0: tensor<4xf32> {graph.parameter = "s0"}, %w0: tensor<4x4xf32> {graph.parameter = "w0"},
    %s1: tensor<4xf32> {graph.parameter = "s1"}, %w1: tensor<4x4xf32> {graph.parameter = "w1"},
    %s2: tensor<4xf32> {graph.parameter = "s2"}, %first: tensor<3x4xf32> {graph.parameter = "first"},
    %x: tensor<2x3xf32> {graph.input = "x"}) -> tensor<2x5xf32> {
  %0 = graph.contract %x, %first batch [] x [] over [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %b0 = graph.broadcast %s0 to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %1 = graph.binary mul %0, %b0 : tensor<2x4xf32>
  %2 = graph.contract %1, %w0 batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %3 = graph.binary add %0, %2 : tensor<2x4xf32>
  %b1 = graph.broadcast %s1 to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %4 = graph.binary mul %3, %b1 : tensor<2x4xf32>
  %5 = graph.contract %4, %w1 batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %6 = graph.binary add %3, %5 : tensor<2x4xf32>
  %b2 = graph.broadcast %s2 to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %7 = graph.binary mul %6, %b2 : tensor<2x4xf32>
  %8 = graph.contract %7, %head batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %8 : tensor<2x5xf32>
}

// What comes after a sum ends its block, and begins none: blocks that begin earlier would hand on as much.
// CHECK-LABEL: func @norms_behind
// CHECK-SAME: {dist.group = 0 : i64, graph.parameter = "s"}
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "w0"}
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "s0"}
// CHECK-SAME: {dist.group = 2 : i64, graph.parameter = "w1"}
// CHECK-SAME: {dist.group = 2 : i64, graph.parameter = "s1"}
func.func @norms_behind(
    %s: tensor<4xf32> {graph.parameter = "s"},
    %w0: tensor<4x4xf32> {graph.parameter = "w0"}, %s0: tensor<4xf32> {graph.parameter = "s0"},
    %w1: tensor<4x4xf32> {graph.parameter = "w1"}, %s1: tensor<4xf32> {graph.parameter = "s1"},
    %x: tensor<2x4xf32> {graph.input = "x"}) -> tensor<2x4xf32> {
  %b = graph.broadcast %s to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %0 = graph.binary mul %x, %b : tensor<2x4xf32>
  %1 = graph.contract %0, %w0 batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = graph.binary add %0, %1 : tensor<2x4xf32>
  %b0 = graph.broadcast %s0 to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %3 = graph.binary mul %2, %b0 : tensor<2x4xf32>
  %4 = graph.contract %3, %w1 batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %5 = graph.binary add %3, %4 : tensor<2x4xf32>
  %b1 = graph.broadcast %s1 to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %6 = graph.binary mul %5, %b1 : tensor<2x4xf32>
  return %6 : tensor<2x4xf32>
}

// Nothing repeats: each matrix begins a group. What nobody uses is in the last one; a parameter that is used twice is
// where it is used first.
// CHECK-LABEL: func @no_blocks
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "unused"}
// CHECK-SAME: {dist.group = 0 : i64, graph.parameter = "w"}
// CHECK-SAME: {dist.group = 1 : i64, graph.parameter = "v"}
// CHECK-SAME: {dist.group = 0 : i64, graph.parameter = "b"}
func.func @no_blocks(
    %unused: tensor<4xf32> {graph.parameter = "unused"}, %w: tensor<3x4xf32> {graph.parameter = "w"},
    %v: tensor<4x3xf32> {graph.parameter = "v"}, %b: tensor<4xf32> {graph.parameter = "b"},
    %x: tensor<2x3xf32> {graph.input = "x"}) -> tensor<2x4xf32> {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.broadcast %b to [1] : tensor<4xf32> -> tensor<2x4xf32>
  %2 = graph.binary add %0, %1 : tensor<2x4xf32>
  %3 = graph.contract %2, %v batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %4 = graph.contract %3, %w batch [] x [] over [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
