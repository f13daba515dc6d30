// RUN: shard-opt %s --sharding-propagate --sharding-insert-reshards --sharding-partition --canonicalize | FileCheck %s

// Each rank draws its part: what lies before it in the whole tensor is skipped.
// CHECK: dist.mesh
dist.mesh @m <["x"=2, "y"=3]>

// CHECK-LABEL: func @parts
// CHECK-DAG: %[[X:.*]] = dist.shard_index over <@m, {"x"}>
// CHECK-DAG: %[[Y:.*]] = dist.shard_index over <@m, {"y"}>
// CHECK-DAG: %[[ROW:.*]] = graph.binary mul %[[X]], %{{.*}} : tensor<i64>
// CHECK: %[[FIRST:.*]] = graph.binary add %{{.*}}, %{{.*}} : tensor<i64>
// CHECK: graph.random bernoulli seed 7 counter %arg1(5.000000e-01, 0.000000e+00) at %[[FIRST]] of [4, 9] : tensor<2x3xi1>
func.func @parts(%a: tensor<4x9xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %n: tensor<i64>)
    -> (tensor<4x9xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) {
  %m = graph.random bernoulli seed 7 counter %n (0.5, 0.0) : tensor<4x9xi1>
  %z = graph.constant dense<0.0> : tensor<4x9xf32>
  %r = graph.select %m, %a, %z : tensor<4x9xi1>, tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// What no axis cuts is drawn as it is.
// CHECK-LABEL: func @whole
// CHECK: graph.random uniform seed 7(0.000000e+00, 1.000000e+00) : tensor<4x9xf32>
func.func @whole(%a: tensor<4x9xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}) -> tensor<4x9xf32> {
  %u = graph.random uniform seed 7 (0.0, 1.0) : tensor<4x9xf32>
  %r = graph.binary add %a, %u : tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}
