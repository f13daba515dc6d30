// RUN: shard-opt %s -split-input-file --sharding-apply-device-configuration="name=c" | FileCheck %s

// Without a mesh, one is made: what cuts the weight is called tensor. Arguments live where their node wants them.
// CHECK: dist.mesh @mesh <["tensor"=2]>
// CHECK-LABEL: func @columns
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, [{}, {}]>, graph.input = "x"
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>, graph.parameter = "w"
module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [
    {node = "product", inputs = [{tensor = "x", devices = [[0, 1]], dims = []},
                                 {tensor = "w", devices = [[0], [1]], dims = [{axis = 1, shards = [2]}]}],
     outputs = [{tensor = "y", devices = [[0], [1]], dims = [{axis = 1, shards = [2]}]}]}]}]} {
func.func @columns(%x: tensor<2x4xf32> {graph.input = "x"}, %w: tensor<4x6xf32> {graph.parameter = "w"}) -> tensor<2x6xf32> {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32> loc("product"(fused<[[tensor<2x6xf32>, "y"]]>[unknown]))
  // CHECK: %[[Y:.*]] = graph.contract
  // CHECK-NEXT: %[[AT:.*]] = dist.constraint %[[Y]] <@mesh, [{}, {"tensor"}]>
  // CHECK-NEXT: return %[[AT]]
  return %0 : tensor<2x6xf32>
}
}

// -----

// A node that wants an operand elsewhere gets it there; others find it where it lives. The mesh that is there serves,
// in whatever order of its axes.
// CHECK-LABEL: func @uses
module attributes {graph.device_configurations = [{name = "c", devices = 4, nodes = [
    {node = "double", outputs = [{tensor = "d", devices = [[0], [2], [1], [3]], dims = [{axis = 0, shards = [4]}]}]},
    {node = "square", inputs = [{tensor = "d", devices = [[0, 2], [1, 3]], dims = [{axis = 1, shards = [2]}]}]}]}]} {
dist.mesh @grid <["a"=2, "b"=2]>
func.func @uses(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.binary add %x, %x : tensor<8x8xf32> loc("double"(fused<[[tensor<8x8xf32>, "d"]]>[unknown]))
  // CHECK: %[[D:.*]] = graph.binary add
  // CHECK-NEXT: %[[LIVES:.*]] = dist.constraint %[[D]] <@grid, [{"b", "a"}, {}]>
  // CHECK-NEXT: %[[MOVED:.*]] = dist.constraint %[[LIVES]] <@grid, [{}, {"b"}]>
  // CHECK-NEXT: graph.binary mul %[[MOVED]], %[[MOVED]]
  %1 = graph.binary mul %0, %0 : tensor<8x8xf32> loc("square"(fused<[[tensor<8x8xf32>, "s"]]>[unknown]))
  // CHECK-NEXT: graph.unary tanh %[[LIVES]]
  %2 = graph.unary tanh %0 : tensor<8x8xf32> loc("tanh")
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
}

// -----

// Devices in a ring: the mesh goes around it. Axes that cut no weight are called data.
// CHECK: dist.mesh @mesh <["data"=4], devices = [0, 1, 3, 2]>
// What is annotated already stays.
// CHECK-LABEL: func @ring
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, [{"data"}]>
module attributes {graph.device_configurations = [{name = "c", devices = 4, nodes = [
    {node = "tanh", inputs = [{tensor = "x", devices = [[0], [1], [3], [2]], dims = [{axis = 0, shards = [4]}]}]}]}]} {
func.func @ring(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

// Two axes: halves of the batch are on neighbours, halves of the weight on every second device.
// CHECK: dist.mesh @mesh <["data"=2, "tensor"=2]>
module attributes {graph.device_configurations = [{name = "c", devices = 4, nodes = [
    {node = "product", inputs = [{tensor = "x", devices = [[0, 1], [2, 3]], dims = [{axis = 0, shards = [2]}]},
                                 {tensor = "w", devices = [[0, 2], [1, 3]], dims = [{axis = 1, shards = [2]}]}]}]}]} {
func.func @grid(%x: tensor<2x4xf32> {graph.input = "x"}, %w: tensor<4x6xf32> {graph.parameter = "w"}) -> tensor<2x6xf32> {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32> loc("product")
  return %0 : tensor<2x6xf32>
}
}

// -----

// A dim that was two, the first cut, is cut into blocks.
// CHECK-LABEL: func @merged
// CHECK-SAME: [{"data"}]
module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [
    {node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [2, 1], extents = [4, 3]}]}]}]}]} {
func.func @merged(%x: tensor<12xf32> {graph.input = "x"}) -> tensor<12xf32> {
  %0 = graph.unary tanh %x : tensor<12xf32> loc("tanh")
  return %0 : tensor<12xf32>
}
}
