// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @c1_no_dim(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{names dim 2 of lhs, which has rank 2}}
  %c = graph.contract %a, %b batch [] x [] over [2] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c1_named_twice(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @+1 {{names dim 0 of lhs twice}}
  %c = graph.contract %a, %b batch [0] x [0] over [0] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @c2_extents_differ(%a: tensor<4x8xf32>, %b: tensor<7x2xf32>) {
  // expected-error @+1 {{lhs dim 1 (8) and rhs dim 0 (7) are contracted dims and must be equal}}
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<7x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c2_counts_differ(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @+1 {{has 1 batch dims of lhs, but 0 of rhs}}
  %c = graph.contract %a, %b batch [0] x [] over [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @c3_result_shape(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{result has shape [2, 4], but the operands give [4, 2]}}
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @c4_operands_differ(%a: tensor<4x8xf32>, %b: tensor<8x2xbf16>) {
  // expected-error @+1 {{float operands must have one element type, but have 'f32' and 'bf16'}}
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c4_result_narrower(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{result element type 'bf16' must be that of the operands ('f32') or wider}}
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xbf16>
  return
}

// -----

func.func @c4_mixed(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) {
  // expected-error @+1 {{mixes floats and integers: 'i8' x 'i8' -> 'f32'}}
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xf32>
  return
}
