// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<4x8x2xf32>, %p: tensor<4xi1>) {
  // Reduced dims vanish.
  // CHECK: %[[S:.*]] = graph.reduce sum
  %s = graph.reduce sum %x over [0, 2] : tensor<4x8x2xf32>
  // CHECK: graph.unary neg %[[S]] : tensor<8xf32>
  %s2 = graph.unary neg %s : tensor<8xf32>
  %n = graph.reduce max %x over [] : tensor<4x8x2xf32>
  %n2 = graph.unary neg %n : tensor<4x8x2xf32>
  %a = graph.reduce any %p over [0] : tensor<4xi1>
  %a2 = graph.unary not %a : tensor<i1>
  %i = graph.arg_reduce min %x dim 1 {last} : tensor<4x8x2xf32>
  %i2 = graph.unary neg %i : tensor<4x2xi64>
  %c = graph.cumulative prod %x dim 1 {exclusive, reverse} : tensor<4x8x2xf32>
  %v, %j = graph.sort %x dim 2 : tensor<4x8x2xf32>
  %j2 = graph.unary neg %j : tensor<4x8x2xi64>
  %t, %k = graph.topk %x dim 1 k 3 : tensor<4x8x2xf32>
  %t2 = graph.unary neg %t : tensor<4x3x2xf32>
  return
}
