// The text form of ops.
// RUN: shard-opt %s | shard-opt | FileCheck %s

dist.mesh @m <["x"=2, "y"=4]>

// CHECK-LABEL: func @annotations
func.func @annotations(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: dist.constraint %arg0 <@m, [{"x"}, {?}]> : tensor<4x8xf32>
  %0 = dist.constraint %a <@m, [{"x"}, {?}]> : tensor<4x8xf32>
  // CHECK: dist.barrier %{{.*}} allow backward : tensor<4x8xf32>
  %1 = dist.barrier %0 allow backward : tensor<4x8xf32>
  // CHECK: %[[MARK:.*]] = dist.mark gradient_part %{{.*}} of "fc.weight" : tensor<4x8xf32>
  %mark = dist.mark gradient_part %0 of "fc.weight" : tensor<4x8xf32>
  // CHECK: dist.mark loss %{{.*}} : tensor<4x8xf32>
  %loss = dist.mark loss %0 : tensor<4x8xf32>
  // CHECK: dist.fence %[[MARK]] after %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
  %fence = dist.fence %mark after %loss : tensor<4x8xf32>, tensor<4x8xf32>
  // CHECK: dist.reshard %{{.*}} from <@m, [{"x"}, {}], partial = sum{"y"}> to <@m, [{}, {"x"}]> asked "graph.softmax" : tensor<4x8xf32>
  %2 = dist.reshard %1 from <@m, [{"x"}, {}], partial = sum{"y"}> to <@m, [{}, {"x"}]> asked "graph.softmax" : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<2x7xf32>, %v: tensor<f32>) -> tensor<i64> {
  // CHECK: dist.all_gather %arg0 dim 0 over <@m, {"x"}> : tensor<2x7xf32> -> tensor<3x7xf32>
  %0 = dist.all_gather %a dim 0 over <@m, {"x"}> : tensor<2x7xf32> -> tensor<3x7xf32>
  // CHECK: dist.slice %{{.*}} dim 1 over <@m, {"y"}> : tensor<3x7xf32> -> tensor<3x2xf32>
  %1 = dist.slice %0 dim 1 over <@m, {"y"}> : tensor<3x7xf32> -> tensor<3x2xf32>
  // CHECK: dist.all_reduce max %{{.*}} over <@m, {"x", "y":(2)2}> : tensor<3x2xf32>
  %2 = dist.all_reduce max %1 over <@m, {"x", "y":(2)2}> : tensor<3x2xf32>
  // CHECK: dist.reduce_scatter sum %{{.*}} dim 0 over <@m, {"x"}> : tensor<3x2xf32> -> tensor<2x2xf32>
  %3 = dist.reduce_scatter sum %2 dim 0 over <@m, {"x"}> : tensor<3x2xf32> -> tensor<2x2xf32>
  // CHECK: dist.all_to_all %{{.*}} gather 0 split 1 over <@m, {"x"}> : tensor<2x2xf32> -> tensor<4x1xf32>
  %4 = dist.all_to_all %3 gather 0 split 1 over <@m, {"x"}> : tensor<2x2xf32> -> tensor<4x1xf32>
  // CHECK: dist.permute %{{.*}} from <@m, {"x", "y":(1)2}> to <@m, {"y":(1)2, "x"}> : tensor<4x1xf32>
  %5 = dist.permute %4 from <@m, {"x", "y":(1)2}> to <@m, {"y":(1)2, "x"}> : tensor<4x1xf32>
  // CHECK: dist.send_recv %{{.*}} sources [-1, 0] over <@m, {"x"}> : tensor<4x1xf32>
  %sent = dist.send_recv %5 sources [-1, 0] over <@m, {"x"}> : tensor<4x1xf32>
  // CHECK: dist.window %{{.*}}, %{{.*}} dim 0 of 8 places 7 scale -1 divisor 1 first 7 last 8 over <@m, {"x"}> : tensor<4x1xf32>, tensor<f32> -> tensor<5x1xf32>
  %w = dist.window %5, %v dim 0 of 8 places 7 scale -1 divisor 1 first 7 last 8 over <@m, {"x"}> : tensor<4x1xf32>, tensor<f32> -> tensor<5x1xf32>
  // CHECK: dist.shard_index over <@m, {"x", "y"}> : tensor<i64>
  %6 = dist.shard_index over <@m, {"x", "y"}> : tensor<i64>
  return %6 : tensor<i64>
}

// Collectives of several tensors, and what says of which parameters they are.
// CHECK-LABEL: func @joint
// CHECK-SAME: dist.group = 3 : i64
func.func @joint(%a: tensor<2x7xf32> {dist.group = 3 : i64}, %b: tensor<5xf32>) -> tensor<2x7xf32> {
  // CHECK: %[[G:.*]]:2 = dist.all_gather %arg0, %arg1 dim 0, 0 over <@m, {"x"}> {dist.parameters = ["a", "b"]} : tensor<2x7xf32>, tensor<5xf32> -> tensor<4x7xf32>, tensor<9xf32>
  %g:2 = dist.all_gather %a, %b dim 0, 0 over <@m, {"x"}> {dist.parameters = ["a", "b"]} : tensor<2x7xf32>, tensor<5xf32> -> tensor<4x7xf32>, tensor<9xf32>
  // CHECK: %[[R:.*]]:2 = dist.all_reduce sum %[[G]]#0, %[[G]]#1 over <@m, {"y"}> : tensor<4x7xf32>, tensor<9xf32>
  %r:2 = dist.all_reduce sum %g#0, %g#1 over <@m, {"y"}> : tensor<4x7xf32>, tensor<9xf32>
  // CHECK: dist.reduce_scatter max %[[R]]#1, %[[R]]#0 dim 0, 0 over <@m, {"x"}> : tensor<9xf32>, tensor<4x7xf32> -> tensor<5xf32>, tensor<2x7xf32>
  %s:2 = dist.reduce_scatter max %r#1, %r#0 dim 0, 0 over <@m, {"x"}> : tensor<9xf32>, tensor<4x7xf32> -> tensor<5xf32>, tensor<2x7xf32>
  return %s#1 : tensor<2x7xf32>
}

// CHECK-LABEL: func @manual
func.func @manual(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: dist.manual(%arg0) in [#dist.sharding<@m, [{"x"}, {}]>] out [#dist.sharding<@m, [{"x"}, {}]>] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: tensor<2x8xf32>):
  // CHECK-NEXT: dist.yield %[[BLOCK]] : tensor<2x8xf32>
  %0 = dist.manual(%a) in [#dist.sharding<@m, [{"x"}, {}]>] out [#dist.sharding<@m, [{"x"}, {}]>] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%block: tensor<2x8xf32>):
    dist.yield %block : tensor<2x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
