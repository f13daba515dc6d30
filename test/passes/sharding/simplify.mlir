// RUN: shard-opt %s -sharding-simplify | FileCheck %s
dist.mesh @m <["x"=2, "y"=2]>

// CHECK-LABEL: func @sum_of_sums
// CHECK-NEXT: graph.binary add %arg0, %arg1
// CHECK-NEXT: dist.all_reduce sum
// CHECK-NEXT: return
func.func @sum_of_sums(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dist.all_reduce sum %a over <@m, {"x"}> : tensor<4xf32>
  %1 = dist.all_reduce sum %b over <@m, {"x"}> : tensor<4xf32>
  %2 = graph.binary add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A product of sums is not the sum of products, and reductions over other axes, or read elsewhere, stay.
// CHECK-LABEL: func @kept
// CHECK-COUNT-6: dist.all_reduce
func.func @kept(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = dist.all_reduce sum %a over <@m, {"x"}> : tensor<4xf32>
  %1 = dist.all_reduce sum %b over <@m, {"x"}> : tensor<4xf32>
  %2 = graph.binary mul %0, %1 : tensor<4xf32>
  %3 = dist.all_reduce max %a over <@m, {"x"}> : tensor<4xf32>
  %4 = dist.all_reduce sum %b over <@m, {"y"}> : tensor<4xf32>
  %5 = graph.binary add %3, %4 : tensor<4xf32>
  %6 = dist.all_reduce sum %a over <@m, {"y"}> : tensor<4xf32>
  %7 = dist.all_reduce sum %5 over <@m, {"y"}> : tensor<4xf32>
  %8 = graph.binary add %6, %7 : tensor<4xf32>
  return %2, %5, %8, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @scattered
// CHECK-NEXT: dist.reduce_scatter sum %arg0 dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT: return
func.func @scattered(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = dist.all_reduce sum %a over <@m, {"x"}> : tensor<4xf32>
  %1 = dist.slice %0 dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @round_trip
// CHECK-NEXT: return %arg0
func.func @round_trip(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dist.all_gather %a dim 0 over <@m, {"x"}> : tensor<2xf32> -> tensor<4xf32>
  %1 = dist.slice %0 dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Another axis is another part.
// CHECK-LABEL: func @other_axis
// CHECK-NEXT: dist.all_gather
// CHECK-NEXT: dist.slice
func.func @other_axis(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dist.all_gather %a dim 0 over <@m, {"x"}> : tensor<2xf32> -> tensor<4xf32>
  %1 = dist.slice %0 dim 0 over <@m, {"y"}> : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @sum_of_scattered
// CHECK-NEXT: graph.binary add %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: dist.reduce_scatter sum
// CHECK-NEXT: return
func.func @sum_of_scattered(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2xf32> {
  %0 = dist.reduce_scatter sum %a dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<2xf32>
  %1 = dist.reduce_scatter sum %b dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<2xf32>
  %2 = graph.binary add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// A weight that is gathered in every trip is gathered once.
// CHECK-LABEL: func @loop
// CHECK-NEXT: dist.all_gather %arg0
// CHECK-NEXT: graph.loop
// CHECK-NOT: dist.all_gather
func.func @loop(%w: tensor<2xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.loop 3(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %1 = dist.all_gather %w dim 0 over <@m, {"x"}> : tensor<2xf32> -> tensor<4xf32>
    %2 = graph.binary mul %a, %1 : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
