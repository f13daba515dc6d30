// Regions that are written for one rank. test/equivalence/sharding/passes.test executes all of this.
// RUN: shard-opt %s -split-input-file -sharding-propagate -sharding-insert-reshards -sharding-partition -canonicalize -cse | FileCheck %s
// RUN: shard-opt %s -split-input-file -sharding-propagate | FileCheck %s --check-prefix=PROPAGATED

dist.mesh @m <["x"=4]>

// The body is what the rank does. What it takes and gives passes axes to its neighbours.
// CHECK-LABEL: func @gathered_product
// CHECK-SAME: %arg0: tensor<2x6xf32>
// CHECK-NEXT: graph.unary neg %arg0 : tensor<2x6xf32>
// CHECK-NEXT: dist.all_gather %arg1 dim 1
// CHECK-NEXT: graph.contract
// CHECK-NEXT: graph.unary exp {{.*}} : tensor<2x8xf32>
// CHECK-NEXT: return
// PROPAGATED-LABEL: func @gathered_product
// PROPAGATED: dist.constraint %{{.*}} <@m, [{"x"}, {}]>
// PROPAGATED-NEXT: dist.constraint %arg1 <@m, [{}, {"x"}]>
func.func @gathered_product(%x: tensor<8x6xf32>, %w: tensor<6x8xf32>) -> tensor<8x8xf32> {
  // SAME AS @product
  %a = graph.unary neg %x : tensor<8x6xf32>
  %0 = dist.manual(%a, %w) in [#dist.sharding<@m, [{"x"}, {}]>, #dist.sharding<@m, [{}, {"x"}]>] out [#dist.sharding<@m, [{"x"}, {}]>] : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%rows: tensor<2x6xf32>, %columns: tensor<6x2xf32>):
    %all = dist.all_gather %columns dim 1 over <@m, {"x"}> : tensor<6x2xf32> -> tensor<6x8xf32>
    %1 = graph.contract %rows, %all batch [] x [] over [1] x [0] : (tensor<2x6xf32>, tensor<6x8xf32>) -> tensor<2x8xf32>
    dist.yield %1 : tensor<2x8xf32>
  }
  %2 = graph.unary exp %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func @product(%x: tensor<8x6xf32>, %w: tensor<6x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.unary neg %x : tensor<8x6xf32>
  %1 = graph.contract %0, %w batch [] x [] over [1] x [0] : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %2 = graph.unary exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// A sum that goes around a ring, one step in each trip of a loop: every rank sends in every trip, since trips are
// counted and there is no branch that some ranks could take and others not.
// CHECK-LABEL: func @ring
// CHECK: graph.loop 3
// CHECK: dist.send_recv %{{.*}} sources [3, 0, 1, 2] over <@m, {"x"}> : tensor<1x5xf32>
func.func @ring(%x: tensor<4x5xf32>) -> tensor<1x5xf32> {
  // SAME AS @sum
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}, {}]>] out [#dist.sharding<@m, [{}, {}]>] : (tensor<4x5xf32>) -> tensor<1x5xf32> {
  ^bb0(%row: tensor<1x5xf32>):
    %1:2 = graph.loop 3(%row, %row) : (tensor<1x5xf32>, tensor<1x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>) {
    ^bb0(%i: tensor<i64>, %sum: tensor<1x5xf32>, %passed: tensor<1x5xf32>):
      %2 = dist.send_recv %passed sources [3, 0, 1, 2] over <@m, {"x"}> : tensor<1x5xf32>
      %3 = graph.binary add %sum, %2 : tensor<1x5xf32>
      graph.yield %3, %2 : tensor<1x5xf32>, tensor<1x5xf32>
    }
    dist.yield %1#0 : tensor<1x5xf32>
  }
  return %0 : tensor<1x5xf32>
}
func.func @sum(%x: tensor<4x5xf32>) -> tensor<1x5xf32> {
  %0 = graph.reduce sum %x over [0] : tensor<4x5xf32>
  %1 = graph.reshape %0 : tensor<5xf32> -> tensor<1x5xf32>
  return %1 : tensor<1x5xf32>
}

// What the region gives is a part of a sum: it is combined outside.
// CHECK-LABEL: func @partial
// CHECK: graph.reduce sum
// CHECK-NEXT: dist.all_reduce sum
func.func @partial(%x: tensor<4x5xf32>) -> tensor<5xf32> {
  // SAME AS @sum_of_rows
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}, {}]>] out [#dist.sharding<@m, [{}], partial = sum{"x"}>] : (tensor<4x5xf32>) -> tensor<5xf32> {
  ^bb0(%row: tensor<1x5xf32>):
    %1 = graph.reduce sum %row over [0] : tensor<1x5xf32>
    dist.yield %1 : tensor<5xf32>
  }
  return %0 : tensor<5xf32>
}
func.func @sum_of_rows(%x: tensor<4x5xf32>) -> tensor<5xf32> {
  %0 = graph.reduce sum %x over [0] : tensor<4x5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Zeros come in where nobody sends.
dist.mesh @m <["x"=2, "y"=3]>
// CHECK-LABEL: func @shift
func.func @shift(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  // SAME AS @shifted
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"y"}, {"x"}]>] out [#dist.sharding<@m, [{"y"}, {"x"}]>] : (tensor<6x2xf32>) -> tensor<6x2xf32> {
  ^bb0(%block: tensor<2x1xf32>):
    %1 = dist.send_recv %block sources [-1, 0, 1] over <@m, {"y"}> : tensor<2x1xf32>
    dist.yield %1 : tensor<2x1xf32>
  }
  return %0 : tensor<6x2xf32>
}
func.func @shifted(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.slice %x from [0, 0] to [4, 2] by [1, 1] : tensor<6x2xf32>
  %1 = graph.pad %0, %zero low [2, 0] high [0, 0] : tensor<4x2xf32>, tensor<f32>
  return %1 : tensor<6x2xf32>
}
