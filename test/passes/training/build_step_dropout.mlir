// DEFINE: %{step} = shard-opt %s --training-build-step
// RUN: %{step}='loss=mse:y,t' | FileCheck %s
// RUN: %{step}='loss=mse:y,t micro-batches=3' | FileCheck %s --check-prefix=LOOP

// Dropouts are active in the step, whatever they were, with the count of steps; the gradient has the mask of its place.
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: tensor<i64> {graph.source = dense<0> : tensor<i64>, graph.state = "optimizer.step"}
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed [[A:[0-9]+]] active counter %[[STEPS]] : tensor<4x2xf32>
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed [[B:[0-9]+]] active counter %[[STEPS]] : tensor<4x2xf32>
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed [[B]] active counter %[[STEPS]] : tensor<4x2xf32>
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed [[A]] active counter %[[STEPS]] : tensor<4x2xf32>
// CHECK-NOT: graph.dropout
// CHECK-LABEL: func.func @eval
// CHECK-NOT: graph.dropout

// Micro-batches are counted through all steps.
// LOOP-LABEL: func.func @train_step
// LOOP-SAME: %[[STEPS:[a-z0-9]+]]: tensor<i64> {graph.source = dense<0> : tensor<i64>, graph.state = "optimizer.step"}
// LOOP: graph.loop
// LOOP: ^bb0(%[[INDEX:[a-z0-9]+]]: tensor<i64>
// LOOP: %[[THREE:.*]] = graph.constant dense<3> : tensor<i64>
// LOOP: %[[BEFORE:.*]] = graph.binary mul %[[STEPS]], %[[THREE]]
// LOOP: %[[NUMBER:.*]] = graph.binary add %[[BEFORE]], %[[INDEX]]
// LOOP: graph.dropout %{{.*}} active counter %[[NUMBER]]

func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "w"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.dropout %0 ratio 0.1 seed 7 active : tensor<4x2xf32>
  %2 = graph.dropout %1 ratio 0.1 seed 8 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
