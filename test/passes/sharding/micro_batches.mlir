// A step's micro-batches stay a loop while a layout is put on them.
// DEFINE: %{shard} = --canonicalize --cse --sharding-propagate --sharding-insert-reshards --sharding-partition --canonicalize --cse --sharding-simplify --overlap-group-collectives
// RUN: shard-opt %s "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3 precision=bf16" --sharding-store=layout=ddp %{shard} | FileCheck %s --check-prefix=DDP
// RUN: shard-opt %s "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3" --sharding-store=layout=zero2 %{shard} | FileCheck %s --check-prefix=ZERO2
// RUN: shard-opt %s "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3" "--sharding-store=layout=zero2 defer" %{shard} | FileCheck %s --check-prefix=DEFER
// RUN: shard-opt %s "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3 precision=bf16" --sharding-store=layout=zero3 %{shard} | FileCheck %s --check-prefix=ZERO3
// RUN: shard-opt %s "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3 precision=bf16" "--sharding-store=layout=zero3 keep" %{shard} | FileCheck %s --check-prefix=KEEP
// RUN: sed -e 's/{"data"}/{"replica", "shard"}/;s/"data"=2/"replica"=2, "shard"=2/' %s | shard-opt "--training-build-step=loss=mse:y,t optimizer=sgd micro-batches=3" --sharding-store=layout=hsdp %{shard} | FileCheck %s --check-prefix=HSDP
dist.mesh @mesh <["data"=2]>

// Gradients are carried in parts, in the type that adds them up, and combined once. Weights are narrowed once.
// DDP-LABEL: func @train_step
// DDP: graph.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// DDP: %[[LOOP:.*]]:3 = graph.loop 3(%{{.*}}) : (tensor<f32>, tensor<4x8xf32>, tensor<8x6xf32>)
// DDP-NOT: tensor<4x8xf32> -> tensor<4x8xbf16>
// DDP-NOT: dist.parameters
// DDP: graph.yield
// DDP: dist.all_reduce sum %[[LOOP]]#1, %[[LOOP]]#2 over <@mesh, {"data"}> {dist.parameters = ["w", "v"]} : tensor<4x8xf32>, tensor<8x6xf32>

// Each part is scattered where it is ready; what is carried are blocks.
// ZERO2-LABEL: func @train_step
// ZERO2: graph.loop 3(%{{.*}}) : (tensor<f32>, tensor<2x8xf32>, tensor<4x6xf32>)
// ZERO2: dist.reduce_scatter sum %{{.*}} {dist.parameters = ["{{[wv]}}", "{{[wv]}}"]}
// ZERO2: graph.yield
// ZERO2-NOT: dist.reduce_scatter
// ZERO2: dist.all_gather %{{.*}} {dist.parameters = ["w", "v"]}

// DEFER-LABEL: func @train_step
// DEFER: %[[LOOP:.*]]:3 = graph.loop 3(%{{.*}}) : (tensor<f32>, tensor<4x8xf32>, tensor<8x6xf32>)
// DEFER-NOT: dist.parameters
// DEFER: graph.yield
// DEFER: dist.reduce_scatter sum %[[LOOP]]#1, %[[LOOP]]#2 dim 0, 0 over <@mesh, {"data"}> {dist.parameters = ["w", "v"]}

// Weights are narrowed once, before the loop, and gathered in each trip: for the first pass after what the trip before carried, for
// the second by itself.
// ZERO3-LABEL: func @train_step
// ZERO3: %[[NARROW:.*]] = graph.cast %{{.*}} : tensor<2x8xf32> -> tensor<2x8xbf16>
// ZERO3: graph.loop 3(%{{.*}}) : (tensor<f32>, tensor<2x8xf32>, tensor<4x6xf32>)
// ZERO3-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[BEFORE:.*]]: tensor<f32>
// ZERO3-DAG: %[[FENCE:.*]] = dist.fence %[[NARROW]] after %[[BEFORE]]
// ZERO3-DAG: dist.all_gather %[[FENCE]], %{{.*}} dim 0, 0 over <@mesh, {"data"}> {dist.parameters = ["w", "v"]} : tensor<2x8xbf16>, tensor<4x6xbf16>
// ZERO3: dist.all_gather %{{.*}} dim 0 over <@mesh, {"data"}> {dist.gathered_again, dist.parameters = ["v"]}
// ZERO3: dist.reduce_scatter sum
// ZERO3: graph.yield
// ZERO3-NOT: dist.parameters
// ZERO3: return

// KEEP-LABEL: func @train_step
// KEEP: graph.loop 3
// KEEP: dist.all_gather %{{.*}} {dist.parameters = ["w", "v"]}
// KEEP-NOT: dist.all_gather
// KEEP: graph.yield

// Combined along `shard` in each trip, along `replica` once.
// HSDP-LABEL: func @train_step
// HSDP: %[[LOOP:.*]]:3 = graph.loop 3(%{{.*}}) : (tensor<f32>, tensor<2x8xf32>, tensor<4x6xf32>)
// HSDP-NOT: dist.all_reduce sum {{.*}}dist.parameters
// HSDP: dist.reduce_scatter sum %{{.*}} over <@mesh, {"shard"}> {dist.parameters
// HSDP-NOT: dist.all_reduce sum {{.*}}dist.parameters
// HSDP: graph.yield
// HSDP: dist.all_reduce sum %[[LOOP]]#1, %[[LOOP]]#2 over <@mesh, {"replica"}> {dist.parameters = ["w", "v"]}
func.func @forward(%x: tensor<12x4xf32> {graph.input = "x", dist.sharding = #dist.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<4x8xf32> {graph.parameter = "w", dist.group = 0 : i64, dist.sharding = #dist.sharding<@mesh, [{}, {}]>},
    %v: tensor<8x6xf32> {graph.parameter = "v", dist.group = 0 : i64, dist.sharding = #dist.sharding<@mesh, [{}, {}]>})
    -> (tensor<12x6xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<12x4xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  %1 = graph.unary tanh %0 : tensor<12x8xf32>
  %2 = graph.contract %1, %v batch [] x [] over [1] x [0] : (tensor<12x8xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
  return %2 : tensor<12x6xf32>
}
