// RUN: shard-opt %s --training-build-step='loss=mse:y,t precision=fp8 optimizer=sgd' | FileCheck %s

// Two slices of one weight that one activation is multiplied by have the scale of the weight; each is rounded by itself.
// CHECK-LABEL: func.func @train_step
// CHECK: %[[W:.*]] = dist.mark weight %{{.*}} of "w" : tensor<32x32xbf16>
// CHECK: graph.slice %[[W]] from [0, 0] to [32, 16]
// CHECK: graph.cast %[[W]] : tensor<32x32xbf16> -> tensor<32x32xf32>
// CHECK: graph.reduce max %{{.*}} over [0, 1] : tensor<32x32xf32>
// CHECK: -> tensor<32x16xf8E4M3FN>
// CHECK: graph.slice %[[W]] from [0, 16] to [32, 32]
// CHECK: graph.reduce max %{{.*}} over [0, 1] : tensor<32x32xf32>
// CHECK: -> tensor<32x16xf8E4M3FN>

// A slice that is alone is what is multiplied: it has its own scale.
// CHECK: graph.slice
// CHECK: graph.reduce max %{{.*}} over [0, 1] : tensor<16x32xf32>
// CHECK: -> tensor<16x32xf8E4M3FN>
func.func @forward(%x: tensor<16x32xf32> {graph.input = "x"},
    %w: tensor<32x32xf32> {graph.parameter = "w", graph.source = dense<1.0> : tensor<32x32xf32>},
    %u: tensor<32x32xf32> {graph.parameter = "u", graph.source = dense<1.0> : tensor<32x32xf32>},
    %o: tensor<32x32xf32> {graph.parameter = "o", graph.source = dense<1.0> : tensor<32x32xf32>}) -> (tensor<16x32xf32> {graph.output = "y"}) {
  %wa = graph.slice %w from [0, 0] to [32, 16] by [1, 1] : tensor<32x32xf32>
  %a = graph.contract %x, %wa batch [] x [] over [1] x [0] : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %wb = graph.slice %w from [0, 16] to [32, 32] by [1, 1] : tensor<32x32xf32>
  %b = graph.contract %x, %wb batch [] x [] over [1] x [0] : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %ab = graph.binary add %a, %b : tensor<16x16xf32>
  %us = graph.slice %u from [0, 0] to [16, 32] by [1, 1] : tensor<32x32xf32>
  %c = graph.contract %ab, %us batch [] x [] over [1] x [0] : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = graph.contract %c, %o batch [] x [] over [1] x [0] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
