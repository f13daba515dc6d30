// RUN: shard-opt %s -split-input-file -sharding-set-mesh=axes=data=2,tensor=4 | FileCheck %s

// Arguments may be cut: without any annotation the function is one of eight ranks.
// CHECK: dist.mesh @mesh <["data"=2, "tensor"=4]>
// CHECK-LABEL: func @plain
// CHECK-SAME: %arg0: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{?}, {?}]>}
func.func @plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
