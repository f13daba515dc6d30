// DEFINE: %{step} = shard-opt %s --training-build-step
// RUN: %{step}='loss=mse:y,t precision=bf16 reduce-type=bf16 state-type=bf16 optimizer=sgd momentum=0.5' | FileCheck %s
// RUN: %{step}='loss=mse:y,t precision=bf16 reduce-type=bf16 optimizer=sgd micro-batches=2' | FileCheck %s --check-prefix=LOOP
// RUN: %{step}='loss=mse:y,t precision=bf16 parameter-type=bf16 master-weights=true optimizer=sgd' | FileCheck %s --check-prefix=MASTER
// RUN: %{step}='loss=mse:y,t precision=bf16 parameter-type=bf16 master-weights=true optimizer=sgd init=w=normal(1)' | FileCheck %s --check-prefix=INIT
// RUN: %{step}='loss=mse:y,t precision=bf16 parameter-type=bf16 freeze=b optimizer=sgd' | FileCheck %s --check-prefix=ROUNDED

// Gradients are marked, so combined, in the type of reductions, and are f32 from there on; states are stored rounded.
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<3x2xf32> {graph.kept, graph.parameter = "w"
// CHECK-SAME: tensor<3x2xbf16> {graph.source = dense<0.{{.*}}> : tensor<3x2xbf16>, graph.state = "w.momentum", graph.state_of = "w"}
// CHECK: graph.cast %{{.*}} {graph.rounds_parts} : tensor<3x2xf32> -> tensor<3x2xbf16>
// CHECK: %[[G:.*]] = dist.mark gradient %{{.*}} of "w" : tensor<3x2xbf16>
// CHECK: graph.cast %[[G]] {graph.waits_for_sum} : tensor<3x2xbf16> -> tensor<3x2xf32>
// CHECK: return
// CHECK-LABEL: func.func @eval

// LOOP-LABEL: func.func @train_step
// LOOP: graph.loop
// LOOP: dist.mark gradient_part %{{.*}} of "w" : tensor<3x2xbf16>
// LOOP: graph.binary add %{{.*}} : tensor<3x2xbf16>

// What the optimizer updates is the master, which begins with the model's value; the parameter is that, rounded.
// MASTER-LABEL: func.func @prepare
// MASTER-SAME: tensor<3x2xbf16> {graph.kept, graph.parameter = "w"}
// MASTER-SAME: %[[FILE:[a-z0-9]+]]: tensor<3x2xf32> {graph.parameter = "w.model", graph.source = dense<1.{{.*}}> : tensor<3x2xf32>}
// MASTER: %[[NARROW:.*]] = graph.cast %[[FILE]] : tensor<3x2xf32> -> tensor<3x2xbf16>
// MASTER-LABEL: func.func @train_step
// MASTER-SAME: tensor<3x2xbf16> {graph.kept, graph.parameter = "w"}
// MASTER-SAME: %[[MASTER:[a-z0-9]+]]: tensor<3x2xf32> {graph.source = dense<1.{{.*}}> : tensor<3x2xf32>, graph.state = "w.master", graph.state_of = "w"}
// MASTER: %[[NEW:.*]] = graph.binary sub %[[MASTER]], %{{.*}} : tensor<3x2xf32>
// MASTER: graph.cast %[[NEW]] : tensor<3x2xf32> -> tensor<3x2xbf16>

// INIT-LABEL: func.func @prepare
// INIT-SAME: -> (tensor<3x2xbf16> {graph.update = "w"}, tensor<3x2xf32> {graph.update = "w.master"}, tensor<2xbf16> {graph.update = "b"})
// INIT: %[[DRAWN:.*]] = graph.random normal
// INIT: %[[NARROW:.*]] = graph.cast %[[DRAWN]]
// INIT: return %[[NARROW]], %[[DRAWN]],

// What is not computed with in that type stays as it is: nothing trained makes it narrow.
// ROUNDED-LABEL: func.func @train_step
// ROUNDED-SAME: tensor<3x2xbf16> {graph.kept, graph.parameter = "w"}
// ROUNDED-SAME: tensor<2xf32> {graph.kept, graph.parameter = "b"
// ROUNDED-NOT: master
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3x2xf32> {graph.parameter = "w", graph.source = dense<1.0> : tensor<3x2xf32>},
    %b: tensor<2xf32> {graph.parameter = "b", graph.source = dense<2.0> : tensor<2xf32>}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.broadcast %b to [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = graph.binary add %0, %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
