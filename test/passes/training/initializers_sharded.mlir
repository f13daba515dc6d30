// RUN: shard-opt %s --sharding-propagate --training-build-step='loss=mse:y,t optimizer=sgd init=*=normal(1) precision=bf16 parameter-type=bf16 master-weights=true' --sharding-store=layout=zero3 --sharding-propagate --sharding-insert-reshards --sharding-partition --canonicalize | FileCheck %s

// A rank draws and rounds its part of each parameter, and never holds a whole one.
// CHECK-LABEL: func @prepare
// CHECK: dist.shard_index
// CHECK-NOT: tensor<{{7x8|8x6}}x
// CHECK: graph.random normal seed {{[0-9]+}}(0.000000e+00, 1.000000e+00) at %{{.*}} of [7, 8] : tensor<7x4xf32>
// CHECK-NOT: tensor<{{7x8|8x6}}x
// CHECK: graph.random normal seed {{[0-9]+}}(0.000000e+00, 1.000000e+00) at %{{.*}} of [8, 6] : tensor<4x6xf32>
// CHECK-NOT: tensor<{{7x8|8x6}}x
// CHECK: return
dist.mesh @m <["data"=2]>
func.func @forward(%x: tensor<4x7xf32> {graph.input = "x", dist.sharding = #dist.sharding<@m, [{"data"}, {}]>}, %first: tensor<7x8xf32> {graph.parameter = "first", graph.source = dense<0.0> : tensor<7x8xf32>},
    %second: tensor<8x6xf32> {graph.parameter = "second", graph.source = dense<0.0> : tensor<8x6xf32>}) -> (tensor<4x6xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %first batch [] x [] over [1] x [0] : (tensor<4x7xf32>, tensor<7x8xf32>) -> tensor<4x8xf32>
  %1 = graph.contract %0, %second batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
