// RUN: split-file %s %t
// RUN: not shard-opt %t/model.mlir -sharding-strategy=strategy=ep 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not shard-opt %t/model.mlir -sharding-strategy=strategy=tp 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not shard-opt %t/model.mlir -sharding-strategy=strategy=dp 2>&1 | FileCheck %s --check-prefix=DP
// RUN: not shard-opt %t/tensor.mlir -sharding-strategy=strategy=tp 2>&1 | FileCheck %s --check-prefix=TP
// RUN: not shard-opt %t/tensor.mlir -sharding-strategy=strategy=sp 2>&1 | FileCheck %s --check-prefix=SP
// RUN: not shard-opt %t/no_mesh.mlir -sharding-strategy=strategy=dp 2>&1 | FileCheck %s --check-prefix=NO_MESH
// RUN: not shard-opt %t/meshes.mlir -sharding-strategy=strategy=dp 2>&1 | FileCheck %s --check-prefix=MESHES

// UNKNOWN: error: strategy "ep" is unknown; there are dp, tp, sp, and for training ddp, zero1, zero2, zero3, hsdp
// AXIS: error: strategy tp needs a mesh axis named tensor: --mesh tensor=2; the mesh is data=2
// DP: error: strategy dp finds nothing to cut; it looks for an input with a batch dim
// TP: error: strategy tp finds nothing to cut; it looks for attention, two products
// SP: error: strategy sp finds nothing to cut; it looks for a norm
// NO_MESH: error: there is no mesh to shard over; give one: --mesh data=2,tensor=2
// MESHES: error: several meshes are given; rules and strategies need one

//--- model.mlir
dist.mesh @m <["data"=2]>
func.func @model(%x: tensor<4x8xf32> {graph.parameter = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- tensor.mlir
dist.mesh @m <["tensor"=2]>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- no_mesh.mlir
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- meshes.mlir
dist.mesh @m <["data"=2]>
dist.mesh @n <["data"=2]>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
