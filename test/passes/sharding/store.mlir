// RUN: shard-opt %s --sharding-store=layout=ddp | FileCheck %s --check-prefix=DDP
// RUN: shard-opt %s --sharding-store=layout=zero1 | FileCheck %s --check-prefix=ZERO1
// RUN: shard-opt %s "--sharding-store=layout=zero3" | FileCheck %s --check-prefix=ZERO3
// RUN: shard-opt %s "--sharding-store=layout=zero3 keep" | FileCheck %s --check-prefix=KEEP
// RUN: shard-opt %s "--sharding-store=layout=zero3 threshold=33" | FileCheck %s --check-prefix=SMALL
// RUN: shard-opt %s --sharding-store | FileCheck %s --check-prefix=NONE

// Everything is whole along the axis of the batch; where a gradient is kept says nothing of where it is computed.
// DDP-LABEL: func @train_step
// DDP-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>
// DDP-SAME: dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>, graph.source
// DDP-SAME: dist.shared_axes = #dist.axes<@mesh, {"data"}>
// DDP-NOT: dist.mark
// DDP: %[[GRADIENT:.*]] = graph.transpose
// DDP: %[[FREE:.*]] = dist.barrier %[[GRADIENT]] allow none
// DDP: %[[KEPT:.*]] = dist.constraint %[[FREE]] <@mesh, [{}, {"tensor"}]>

// States and gradients are cut further, along a dim that divides.
// ZERO1-LABEL: func @train_step
// ZERO1-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>
// ZERO1-SAME: dist.sharding = #dist.sharding<@mesh, [{"data"}, {"tensor"}]>, graph.source
// ZERO1: graph.contract %{{.*}}, %[[W]]
// ZERO1: dist.constraint %{{.*}} <@mesh, [{"data"}, {"tensor"}]>

// Parameters too: gathered before the first use, and again behind the loss.
// ZERO3-LABEL: func @train_step
// ZERO3-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"data"}, {"tensor"}]>
// ZERO3: %[[STORED:.*]] = dist.barrier %[[W]] allow none
// ZERO3: %[[WHOLE:.*]] = dist.constraint %[[STORED]] <@mesh, [{}, {"tensor"}]>
// ZERO3: graph.contract %{{.*}}, %[[WHOLE]]
// ZERO3: %[[SEED:.*]] = graph.broadcast
// ZERO3: %[[FENCE:.*]] = dist.fence %[[W]] after %[[SEED]]
// ZERO3: %[[AGAIN:.*]] = dist.barrier %[[FENCE]] allow none
// ZERO3: %[[TWICE:.*]] = dist.constraint %[[AGAIN]] <@mesh, [{}, {"tensor"}]>
// ZERO3: graph.contract %[[SEED]], %[[TWICE]]
// ZERO3: dist.constraint %{{.*}} <@mesh, [{"data"}, {"tensor"}]>
// ZERO3: graph.binary sub %[[W]]

// KEEP-LABEL: func @train_step
// KEEP-NOT: dist.fence
// KEEP: %[[WHOLE:.*]] = dist.constraint %{{.*}} <@mesh, [{}, {"tensor"}]>
// KEEP: graph.contract %{{.*}}, %[[WHOLE]]
// KEEP: graph.contract %{{.*}}, %[[WHOLE]]

// SMALL-LABEL: func @train_step
// SMALL-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>

// NONE-LABEL: func @train_step
// NONE-NOT: dist.mark
// NONE-NOT: dist.constraint
dist.mesh @mesh <["data"=2, "tensor"=2]>
func.func @train_step(
    %x: tensor<2x4xf32> {graph.input = "x", dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<4x8xf32> {graph.parameter = "w", graph.kept, dist.sharding = #dist.sharding<@mesh, [{}, {"tensor"}]>},
    %m: tensor<4x8xf32> {graph.state = "w.m", graph.state_of = "w", graph.source = dense<0.0> : tensor<4x8xf32>})
    -> (tensor<f32> {graph.output = "loss"}, tensor<4x8xf32> {graph.update = "w"}, tensor<4x8xf32> {graph.update = "w.m"},
        tensor<2x4xf32> {graph.output = "input_gradient"}) {
  %v = dist.mark weight %w of "w" : tensor<4x8xf32>
  %y = graph.contract %x, %v batch [] x [] over [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %s = graph.reduce sum %y over [0, 1] : tensor<2x8xf32>
  %loss = dist.mark loss %s : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %seed = graph.broadcast %one to [] : tensor<f32> -> tensor<2x8xf32>
  %dx = graph.contract %seed, %v batch [] x [] over [1] x [1] : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %dt = graph.contract %seed, %x batch [] x [] over [0] x [0] : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  %dw = graph.transpose %dt by [1, 0] : tensor<8x4xf32>
  %g = dist.mark gradient %dw of "w" : tensor<4x8xf32>
  %m1 = graph.binary add %m, %g : tensor<4x8xf32>
  %w1 = graph.binary sub %w, %m1 : tensor<4x8xf32>
  return %loss, %w1, %m1, %dx : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x4xf32>
}
