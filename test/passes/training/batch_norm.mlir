// RUN: shard-opt %s --training-build-step='loss=output:s optimizer=sgd' | FileCheck %s --check-prefixes=CHECK,BATCH
// RUN: shard-opt %s --training-build-step='loss=output:s optimizer=sgd freeze=mean,variance' | FileCheck %s --check-prefixes=CHECK,GIVEN

// Training takes means and mean squared distances over all dims but channels; running ones are mixed with them in the
// model's proportion and have no gradient. Frozen ones stay, and are what normalizes.
// CHECK-LABEL: func.func @train_step(
// BATCH-SAME: tensor<2xf32> {graph.update = "mean"}, tensor<2xf32> {graph.update = "variance"})
// GIVEN-NOT: graph.update = "mean"
// BATCH: %[[SUM:.*]] = graph.reduce sum %[[X:.*]] over [0, 2]
// BATCH: %[[MEAN:.*]] = graph.binary mul %[[SUM]]
// BATCH: graph.binary sub %[[X]]
// BATCH: %[[SQUARES:.*]] = graph.reduce sum {{.*}} over [0, 2]
// BATCH: %[[VARIANCE:.*]] = graph.binary mul %[[SQUARES]]
// BATCH: graph.constant dense<2.500000e-01> : tensor<2xf32>
// BATCH: graph.constant dense<7.500000e-01> : tensor<2xf32>
// BATCH: graph.batch_norm %[[X]], {{.*}}, %[[MEAN]], %[[VARIANCE]] epsilon
// GIVEN-NOT: over [0, 2]
// GIVEN: %[[MEAN:.*]] = dist.mark weight {{.*}} of "mean"
// GIVEN: %[[VARIANCE:.*]] = dist.mark weight {{.*}} of "variance"
// GIVEN: graph.batch_norm {{.*}}, %[[MEAN]], %[[VARIANCE]] epsilon

// An evaluation takes the running ones.
// CHECK-LABEL: func.func @eval(
// CHECK: %[[MEAN:.*]] = dist.mark weight {{.*}} of "mean"
// CHECK: %[[VARIANCE:.*]] = dist.mark weight {{.*}} of "variance"
// CHECK: graph.batch_norm {{.*}}, %[[MEAN]], %[[VARIANCE]] epsilon
func.func @forward(%x: tensor<4x2x3xf32> {graph.input = "x"}, %scale: tensor<2xf32> {graph.parameter = "scale"},
    %mean: tensor<2xf32> {graph.parameter = "mean"}, %variance: tensor<2xf32> {graph.parameter = "variance"})
    -> (tensor<f32> {graph.output = "s"}) {
  %0 = graph.batch_norm %x, %scale, %scale, %mean, %variance epsilon 1.0e-5 {graph.momentum = 0.25 : f64}
      : tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>
  %1 = graph.reduce sum %0 over [0, 1, 2] : tensor<4x2x3xf32>
  return %1 : tensor<f32>
}
