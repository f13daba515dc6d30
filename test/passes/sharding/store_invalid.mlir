// RUN: not shard-opt %s --sharding-store=layout=zero4 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not shard-opt %s --sharding-store=layout=zero1 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not shard-opt %s "--sharding-store=layout=hsdp" 2>&1 | FileCheck %s --check-prefix=HYBRID
// RUN: not shard-opt %s "--sharding-store=layout=zero3 threshold=-1" 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// NAME: layout "zero4" is unknown; there are ddp, zero1, zero2, zero3, hsdp
// AXIS: layout zero1 needs a mesh axis named data: --mesh data=2; the mesh is
// THRESHOLD: a threshold is a number of elements, found -1
// HYBRID: layout hsdp needs a mesh axis named replica: --mesh replica=2; the mesh is
dist.mesh @mesh <["tensor"=2]>
func.func @train_step(%w: tensor<4xf32> {graph.parameter = "w", dist.sharding = #dist.sharding<@mesh, [{}]>}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
