// The text form of meshes and shardings.
// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK: dist.mesh @m <["data"=2, "tensor"=4]>
dist.mesh @m <["data"=2, "tensor"=4]>
// CHECK: dist.mesh @reversed <["x"=4], devices = [3, 2, 1, 0]>
dist.mesh @reversed <["x"=4], devices = [3, 2, 1, 0]>

// CHECK-LABEL: func @closed_and_open
// CHECK-SAME: #dist.sharding<@m, [{"data"}, {"tensor", ?}p1, {}, {?}]>
func.func @closed_and_open(%x: tensor<4x8x2x2xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {"tensor", ?}p1, {}, {?}]>}) {
  return
}

// Parts of an axis.
// CHECK-LABEL: func @parts
// CHECK-SAME: #dist.sharding<@m, [{"tensor":(2)2, "data"}, {"tensor":(1)2}]>
func.func @parts(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor":(2)2, "data"}, {"tensor":(1)2}]>}) {
  return
}

// CHECK-LABEL: func @replicated_and_partial
// CHECK-SAME: #dist.sharding<@m, [], replicated = {"data"}, partial = max{"tensor"}>
func.func @replicated_and_partial(%x: tensor<f32> {dist.sharding = #dist.sharding<@m, [], replicated = {"data"}, partial = max{"tensor"}>}) {
  return
}
