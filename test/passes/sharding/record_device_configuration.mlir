// RUN: shard-opt %s --sharding-propagate --sharding-record-device-configuration | FileCheck %s --check-prefix=MESH
// RUN: shard-opt %s --sharding-propagate --sharding-record-device-configuration="name=mine" | FileCheck %s
// RUN: shard-opt %s --sharding-propagate --sharding-record-device-configuration="name=old" | FileCheck %s --check-prefix=REPLACED

// Where each tensor lives that is left, whole ones too; "square" wants "d" elsewhere than others find it.
// CHECK: graph.device_configurations = [{devices = 2 : i64, name = "old"
// CHECK-SAME: {devices = 4 : i64, name = "mine", nodes = [{inputs = [
// CHECK-SAME: {devices = {{\[\[}}0, 2], [1, 3]], dims = [{axis = 1 : i64, shards = [2]}], tensor = "d"}], node = "square"}]
// CHECK-SAME: tensors = [
// CHECK-SAME: {devices = {{\[\[}}0], [2], [1], [3]], dims = [{axis = 0 : i64, shards = [4]}], tensor = "x"}
// CHECK-SAME: {devices = {{\[\[}}0], [2], [1], [3]], dims = [{axis = 0 : i64, shards = [4]}], tensor = "d"}
// CHECK-SAME: {devices = {{\[\[}}0, 2], [1, 3]], dims = [{axis = 1 : i64, shards = [2]}], tensor = "s"}
// CHECK-SAME: {devices = {{\[\[}}0, 1, 2, 3]], dims = [], tensor = "t"}
// MESH: devices = 4 : i64, name = "a=2,b=2"
// REPLACED: graph.device_configurations = [{devices = 4 : i64, name = "old"
module attributes {graph.device_configurations = [{name = "old", devices = 2, nodes = []}]} {
dist.mesh @grid <["a"=2, "b"=2]>
func.func @forward(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.binary add %x, %x {dist.shardings = [#dist.sharding<@grid, [{"b", "a"}, {}]>]} : tensor<8x8xf32> loc("double"(fused<[[tensor<8x8xf32>, "d"]]>[unknown]))
  %1 = dist.constraint %0 <@grid, [{}, {"b"}]> : tensor<8x8xf32>
  %2 = graph.binary mul %1, %1 {dist.shardings = [#dist.sharding<@grid, [{}, {"b"}]>]} : tensor<8x8xf32> loc("square"(fused<[[tensor<8x8xf32>, "s"]]>[unknown]))
  %3 = graph.unary tanh %0 {dist.shardings = [#dist.sharding<@grid, [{}, {}]>]} : tensor<8x8xf32> loc("tanh"(fused<[[tensor<8x8xf32>, "t"]]>[unknown]))
  return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
}
