// DEFINE: %{step} = shard-opt %s --training-build-step
// RUN: %{step}='loss=mse:y,t precision=fp8 optimizer=sgd' | FileCheck %s
// RUN: %{step}='loss=mse:y,t precision=bf16 optimizer=sgd' | FileCheck %s --check-prefix=BF16

// BF16-NOT: f8E

// The first product has another one with a weight behind it. It and both of its gradients take what was rounded to 8
// bits and is widened again: weight and activation in e4m3, the gradient in e5m2; each once, whatever takes it. Before,
// what a kernel holds is rounded to 16 bits. The scale is what the largest number of a tensor is to that of the type.
// CHECK-LABEL: func.func @train_step
// CHECK: %[[W:.*]] = dist.mark weight %{{.*}} of "w" : tensor<32x16xbf16>
// CHECK: %[[HELD:.*]] = graph.cast %[[W]] : tensor<32x16xbf16> -> tensor<32x16xf32>
// CHECK: %[[HALF:.*]] = graph.cast %[[HELD]] {graph.rounds} : tensor<32x16xf32> -> tensor<32x16xbf16>
// CHECK: %[[WIDE:.*]] = graph.cast %[[HALF]] : tensor<32x16xbf16> -> tensor<32x16xf32>
// CHECK: %[[ABS:.*]] = graph.unary abs %[[WIDE]]
// CHECK: %[[MAX:.*]] = graph.reduce max %[[ABS]] over [0, 1]
// CHECK: %[[LEAST:.*]] = graph.constant dense<7.88860905E-31>
// CHECK: %[[LARGEST:.*]] = graph.binary max %[[MAX]], %[[LEAST]]
// CHECK: %[[LIMIT:.*]] = graph.constant dense<4.480000e+02>
// CHECK: %[[RATIO:.*]] = graph.binary div %[[LARGEST]], %[[LIMIT]]
// CHECK: %[[SCALE:.*]] = graph.broadcast %[[RATIO]] to []
// CHECK: %[[QUOTIENT:.*]] = graph.binary div %[[WIDE]], %[[SCALE]]
// CHECK: %[[NARROW:.*]] = graph.cast %[[QUOTIENT]] : tensor<32x16xf32> -> tensor<32x16xf8E4M3FN>
// CHECK: %[[BACK:.*]] = graph.cast %[[NARROW]]
// CHECK: %[[SCALED:.*]] = graph.binary mul %[[BACK]], %[[SCALE]]
// CHECK: %[[WEIGHT:.*]] = graph.cast %[[SCALED]] : tensor<32x16xf32> -> tensor<32x16xbf16>
// CHECK: -> tensor<8x32xf8E4M3FN>
// CHECK: %[[X:.*]] = graph.cast %{{.*}} : tensor<8x32xf32> -> tensor<8x32xbf16>
// CHECK: graph.contract %[[X]], %[[WEIGHT]]

// The next has an extent of 24, and behind the last there is none: they and their gradients are bf16's.
// CHECK-NOT: f8E
// CHECK: dist.mark loss
// CHECK: graph.constant dense<5.734400e+04>
// CHECK: -> tensor<8x16xf8E5M2>
// CHECK: %[[G:.*]] = graph.cast %{{.*}} : tensor<8x16xf32> -> tensor<8x16xbf16>
// CHECK: graph.contract %[[G]], %[[X]]
// CHECK-NOT: f8E
// CHECK-LABEL: func.func @eval
// CHECK-NOT: f8E
func.func @forward(%x: tensor<8x32xf32> {graph.input = "x"},
    %w: tensor<32x16xf32> {graph.parameter = "w", graph.source = dense<1.0> : tensor<32x16xf32>},
    %o: tensor<16x24xf32> {graph.parameter = "o", graph.source = dense<1.0> : tensor<16x24xf32>},
    %v: tensor<24x32xf32> {graph.parameter = "v", graph.source = dense<1.0> : tensor<24x32xf32>}) -> (tensor<8x32xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %1 = graph.unary tanh %0 : tensor<8x16xf32>
  %2 = graph.contract %1, %o batch [] x [] over [1] x [0] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
  %3 = graph.contract %2, %v batch [] x [] over [1] x [0] : (tensor<8x24xf32>, tensor<24x32xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}
