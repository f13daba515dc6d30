// Each op is told what its windows send, beside what reshards do.
// RUN: shard-opt %s -sharding-propagate -sharding-insert-reshards -sharding-partition=remarks -verify-diagnostics | FileCheck %s

dist.mesh @m <["x"=4]>

// Ranks in the middle send two rows of 3x8 f32 elements, one up and one down.
// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x3x16x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}, {}]>}, %f: tensor<3x3x3x3xf32>) -> tensor<1x3x16x8xf32> {
  // expected-remark @+1 {{reads operand 0 of graph.conv along dim 2 across blocks: each rank sends at most 192 bytes}}
  %0 = graph.conv %x, %f strides [1, 1] pad [1, 1] to [1, 1] dilations [1, 1] groups 1 : tensor<1x3x16x8xf32>, tensor<3x3x3x3xf32>
  return %0 : tensor<1x3x16x8xf32>
}

// Each part of the output adds to the gradient of the filter.
// CHECK-LABEL: func @conv_filter_grad
// CHECK: dist.window %{{.*}}, %{{.*}} dim 2 of 16 places 8 scale 2 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<1x2x4xf32>, tensor<f32> -> tensor<1x2x5xf32>
// CHECK: graph.conv_filter_grad %{{.*}} strides [2] pad [0] to [0] dilations [1] groups 1 : (tensor<1x2x5xf32>, tensor<1x3x2xf32>) -> tensor<3x2x3xf32>
// CHECK: dist.all_reduce sum
func.func @conv_filter_grad(%x: tensor<1x2x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}, %g: tensor<1x3x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) -> (tensor<3x2x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {}]>}) {
  // expected-remark @+1 {{reads operand 0 of graph.conv_filter_grad along dim 2 across blocks: each rank sends at most 8 bytes}}
  %0 = graph.conv_filter_grad %x, %g strides [2] pad [1] to [0] dilations [1] groups 1 : (tensor<1x2x16xf32>, tensor<1x3x8xf32>) -> tensor<3x2x3xf32>
  // expected-remark @+1 {{each rank sends 108 bytes in 1 step}}
  return %0 : tensor<3x2x3xf32>
}

// What a trip moves is told with the number of trips.
// CHECK-LABEL: func @loop
func.func @loop(%a: tensor<3x8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}, {}]>}) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %r = graph.loop 3(%zero) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<3x8x4xf32>, tensor<i64>
    %1 = graph.reduce sum %0 over [0] : tensor<8x4xf32>
    // expected-remark @+1 {{reshards 'tensor<4xf32>' from #dist.sharding<@m, [{}], partial = sum{"x"}> to #dist.sharding<@m, [{}]> for graph.binary: each rank sends 24 bytes in 1 step in each of 3 trips}}
    %2 = graph.binary max %s, %1 : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
