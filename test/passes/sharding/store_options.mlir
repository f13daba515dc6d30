// RUN: not shard-opt %s "--sharding-store=layout=zero1 keep" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not shard-opt %s "--sharding-store=layout=ddp defer" 2>&1 | FileCheck %s --check-prefix=DEFER
// RUN: not shard-opt %s "--sharding-store=layout=ddp threshold=5" 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// KEEP: keeping gathered parameters has no effect on layout zero1
// DEFER: layout ddp always reduces the sum of all micro-batches
// THRESHOLD: a threshold has no effect on layout ddp
dist.mesh @mesh <["data"=2]>
func.func @train_step(%w: tensor<4xf32> {graph.parameter = "w", dist.sharding = #dist.sharding<@mesh, [{}]>}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
