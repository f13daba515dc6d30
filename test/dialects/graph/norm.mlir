// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @forms
func.func @forms(%x: tensor<2x8x4xf32>, %r: tensor<8x4xf32>, %c: tensor<8xf32>) {
  // CHECK: graph.softmax %{{.*}} dim 1
  %0 = graph.softmax %x dim 1 : tensor<2x8x4xf32>
  // CHECK: graph.log_softmax %{{.*}} dim 2
  %1 = graph.log_softmax %x dim 2 : tensor<2x8x4xf32>
  // CHECK: graph.layer_norm %{{[^ ]*}} axis 1
  %2 = graph.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<2x8x4xf32>
  // CHECK: graph.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} axis 1
  %3 = graph.layer_norm %x scale %r bias %r axis 1 epsilon 1.0e-5
      : tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  // CHECK: graph.rms_norm %{{.*}} scale
  %4 = graph.rms_norm %x scale %r axis 1 epsilon 1.0e-5 : tensor<2x8x4xf32>, tensor<8x4xf32>
  // CHECK: graph.batch_norm
  %5 = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5
      : tensor<2x8x4xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: graph.group_norm %{{.*}} groups 2
  %6 = graph.group_norm %x, %c, %c groups 2 epsilon 1.0e-5 : tensor<2x8x4xf32>, tensor<8xf32>
  return
}
