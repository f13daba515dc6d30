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

// Weights that something else reads stay as they are: packing would double them.
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
