// RUN: shard-opt %s -sharding-expose-dims -canonicalize -cse | FileCheck %s
// RUN: shard-opt %s -sharding-expose-dims=split-products=false | FileCheck %s --check-prefix=WHOLE

// A flattened product with a bias keeps batch and sequence apart.
// CHECK-LABEL: func @flattened
// CHECK-NOT: graph.reshape
// CHECK: %[[PRODUCT:.*]] = graph.contract %arg0, %arg1 {{.*}} -> tensor<2x7x16xf32>
// CHECK: %[[BIAS:.*]] = graph.broadcast %arg2 to [2] : tensor<16xf32> -> tensor<2x7x16xf32>
// CHECK: graph.binary add %[[PRODUCT]], %[[BIAS]] : tensor<2x7x16xf32>
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @flattened(%x: tensor<2x7x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<2x7x16xf32> {
  %0 = graph.reshape %x : tensor<2x7x8xf32> -> tensor<14x8xf32>
  %1 = graph.contract %0, %w batch [] x [] over [1] x [0] : (tensor<14x8xf32>, tensor<8x16xf32>) -> tensor<14x16xf32>
  %2 = graph.broadcast %b to [1] : tensor<16xf32> -> tensor<14x16xf32>
  %3 = graph.binary add %1, %2 : tensor<14x16xf32>
  %4 = graph.reshape %3 : tensor<14x16xf32> -> tensor<2x7x16xf32>
  return %4 : tensor<2x7x16xf32>
}

// Dims that are summed over stay merged: heads by their elements.
// CHECK-LABEL: func @merged_heads
// CHECK: graph.reshape %arg0 : tensor<2x7x4x2xf32> -> tensor<2x7x8xf32>
// CHECK: graph.contract {{.*}} : (tensor<2x7x8xf32>, tensor<8x16xf32>) -> tensor<2x7x16xf32>
func.func @merged_heads(%x: tensor<2x7x4x2xf32>, %w: tensor<8x16xf32>) -> tensor<2x7x16xf32> {
  %0 = graph.reshape %x : tensor<2x7x4x2xf32> -> tensor<14x8xf32>
  %1 = graph.contract %0, %w batch [] x [] over [1] x [0] : (tensor<14x8xf32>, tensor<8x16xf32>) -> tensor<14x16xf32>
  %2 = graph.reshape %1 : tensor<14x16xf32> -> tensor<2x7x16xf32>
  return %2 : tensor<2x7x16xf32>
}

// Queries and keys from one weight become two products, unless layouts cut the batch alone.
// WHOLE-LABEL: func @fused
// WHOLE-COUNT-1: graph.contract
// WHOLE-NOT: graph.contract
// WHOLE-LABEL: func @used_whole
// CHECK-LABEL: func @fused
// CHECK-DAG: %[[W0:.*]] = graph.slice %arg1 from [0, 0] to [8, 4]
// CHECK-DAG: %[[W1:.*]] = graph.slice %arg1 from [0, 4] to [8, 12]
// CHECK-DAG: %[[B1:.*]] = graph.slice %arg2 from [4] to [12]
// CHECK-DAG: graph.contract %arg0, %[[W0]] {{.*}} -> tensor<2x7x4xf32>
// CHECK-DAG: graph.contract %arg0, %[[W1]] {{.*}} -> tensor<2x7x8xf32>
// CHECK-DAG: graph.broadcast %[[B1]] to [2] : tensor<8xf32> -> tensor<2x7x8xf32>
func.func @fused(%x: tensor<2x7x8xf32>, %w: tensor<8x12xf32> {graph.parameter = "w"}, %b: tensor<12xf32> {graph.parameter = "b"}) -> (tensor<2x7x4xf32>, tensor<2x7x8xf32>) {
  %0 = graph.contract %x, %w batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x12xf32>) -> tensor<2x7x12xf32>
  %1 = graph.broadcast %b to [2] : tensor<12xf32> -> tensor<2x7x12xf32>
  %2 = graph.binary add %0, %1 : tensor<2x7x12xf32>
  %3 = graph.slice %2 from [0, 0, 0] to [2, 7, 4] by [1, 1, 1] : tensor<2x7x12xf32>
  %4 = graph.slice %2 from [0, 0, 4] to [2, 7, 12] by [1, 1, 1] : tensor<2x7x12xf32>
  return %3, %4 : tensor<2x7x4xf32>, tensor<2x7x8xf32>
}

// What is used as a whole, or in parts that overlap, stays one product.
// CHECK-LABEL: func @used_whole
// CHECK-COUNT-1: graph.contract
// CHECK-NOT: graph.contract
// CHECK-LABEL: func @overlapping
// CHECK-COUNT-1: graph.contract
// CHECK-NOT: graph.contract
func.func @used_whole(%x: tensor<2x8xf32>, %w: tensor<8x12xf32> {graph.parameter = "w"}) -> (tensor<2x4xf32>, tensor<2x12xf32>) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<2x8xf32>, tensor<8x12xf32>) -> tensor<2x12xf32>
  %1 = graph.slice %0 from [0, 0] to [2, 4] by [1, 1] : tensor<2x12xf32>
  return %1, %0 : tensor<2x4xf32>, tensor<2x12xf32>
}
func.func @overlapping(%x: tensor<2x8xf32>, %w: tensor<8x12xf32> {graph.parameter = "w"}) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<2x8xf32>, tensor<8x12xf32>) -> tensor<2x12xf32>
  %1 = graph.slice %0 from [0, 0] to [2, 8] by [1, 1] : tensor<2x12xf32>
  %2 = graph.slice %0 from [0, 4] to [2, 12] by [1, 1] : tensor<2x12xf32>
  return %1, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}
