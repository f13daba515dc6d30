// RUN: shard-opt %s --lowering-pack-weights --split-input-file | FileCheck %s

// CHECK-LABEL: func @contract
func.func @contract(%x: tensor<4x64xf32>, %w: tensor<64x32xf32> {graph.parameter = "w"}) -> tensor<4x32xf32> {
  // CHECK: %[[P:.*]] = exec.apply "pack_weights"(%arg1) with
  // CHECK-SAME: consumer = "contract"
  // CHECK-SAME: lhs_dims = array<i64: 4, 64>
  // CHECK-SAME: -> tensor<64x32xf32, #exec.packed<16384>>
  // CHECK: exec.apply "contract"(%arg0, %[[P]]) with {{.*}}weights_packed = true
  %c = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %c : tensor<4x32xf32>
}

// -----

// Weights that something else reads stay as they are, or they would be in memory twice.
// CHECK-LABEL: func @shared
func.func @shared(%x: tensor<4x64xf32>, %i: tensor<2xi64>, %w: tensor<64x32xf32> {graph.parameter = "w"})
    -> (tensor<4x32xf32>, tensor<2x32xf32>) {
  // CHECK-NOT: pack_weights
  %c = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %g = exec.apply "gather"(%w, %i) with {dim = 0 : i64} : (tensor<64x32xf32>, tensor<2xi64>) -> tensor<2x32xf32>
  return %c, %g : tensor<4x32xf32>, tensor<2x32xf32>
}

// -----

// An input is no weight.
// CHECK-LABEL: func @input
func.func @input(%x: tensor<4x64xf32>, %w: tensor<64x32xf32>) -> tensor<4x32xf32> {
  // CHECK-NOT: pack_weights
  %c = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %c : tensor<4x32xf32>
}

// -----

// Weights that several calls take are packed once for all that ask the same of them.
// CHECK-LABEL: func @several
func.func @several(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>, %z: tensor<8x64xf32>,
    %w: tensor<64x32xf32> {graph.parameter = "w"}) -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<8x32xf32>) {
  // CHECK: %[[P:.*]] = exec.apply "pack_weights"(%arg3) with {{.*}}lhs_dims = array<i64: 4, 64>
  // CHECK: exec.apply "contract"(%arg0, %[[P]])
  // CHECK-NEXT: exec.apply "contract"(%arg1, %[[P]])
  // CHECK-NEXT: %[[Q:.*]] = exec.apply "pack_weights"(%arg3) with {{.*}}lhs_dims = array<i64: 8, 64>
  // CHECK-NEXT: exec.apply "contract"(%arg2, %[[Q]])
  %a = exec.apply "contract"(%x, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %b = exec.apply "contract"(%y, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %c = exec.apply "contract"(%z, %w) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %a, %b, %c : tensor<4x32xf32>, tensor<4x32xf32>, tensor<8x32xf32>
}

// -----

// Seen in another way they are the same memory, which the last call reads as it is.
// CHECK-LABEL: func @views
func.func @views(%x: tensor<4x64xf32>, %w: tensor<32x64xf32> {graph.parameter = "w"}) -> (tensor<4x32xf32>, tensor<32x32xf32>) {
  // CHECK-NOT: pack_weights
  %t = graph.transpose %w by [1, 0] : tensor<32x64xf32>
  %a = exec.apply "contract"(%x, %t) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %b = exec.apply "contract"(%w, %t) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  return %a, %b : tensor<4x32xf32>, tensor<32x32xf32>
}
