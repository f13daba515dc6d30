// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1_dims(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{batch dims (1) and dim (0) do not fit an operand of rank 2 and indices of rank 1}}
  %y = graph.gather %x, %i dim 0 batch 1 : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func @gather_c2_batch(%x: tensor<4x8xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{batch dim 0 of the operand (4) and of the indices (2) must be equal}}
  %y = graph.gather %x, %i dim 1 batch 1 : tensor<4x8xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @gather_elements_c1_ranks(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{operand (rank 2) and indices (rank 1) must have one rank, of which dim 0 is a dim}}
  %y = graph.gather_elements %x, %i dim 0 : tensor<4x8xf32>, tensor<2xi64>
  return
}

// -----

func.func @gather_elements_c2_extent(%x: tensor<4x8xf32>, %i: tensor<5x2xi64>) {
  // expected-error @+1 {{indices dim 0 (5) is larger than the operand's (4)}}
  %y = graph.gather_elements %x, %i dim 1 : tensor<4x8xf32>, tensor<5x2xi64>
  return
}

// -----

func.func @gather_nd_c1_batch(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{batch dims (1) must be less than the ranks of operand (2) and indices (1)}}
  %y = graph.gather_nd %x, %i batch 1 : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func @gather_nd_c2_tuple(%x: tensor<4x8xf32>, %i: tensor<3x3xi64>) {
  // expected-error @+1 {{tuples of 3 indices after 0 batch dims do not fit an operand of rank 2}}
  %y = graph.gather_nd %x, %i batch 0 : tensor<4x8xf32>, tensor<3x3xi64>
  return
}

// -----

func.func @scatter_elements_c1_extent(%x: tensor<4x8xf32>, %i: tensor<5x2xi64>, %u: tensor<5x2xf32>) {
  // expected-error @+1 {{indices dim 0 (5) is larger than the operand's (4)}}
  %y = graph.scatter_elements set %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<5x2xi64>, tensor<5x2xf32>
  return
}

// -----

func.func @scatter_elements_c2_updates(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{updates are of type 'tensor<4x3xf32>', but must be of type 'tensor<4x2xf32>'}}
  %y = graph.scatter_elements set %x, %i, %u dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x3xf32>
  return
}

// -----

func.func @scatter_nd_c1_tuple(%x: tensor<8xf32>, %i: tensor<4x2xi64>, %u: tensor<4xf32>) {
  // expected-error @+1 {{tuples of 2 indices do not fit an operand of rank 1}}
  %y = graph.scatter_nd set %x, %i, %u : tensor<8xf32>, tensor<4x2xi64>, tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c2_updates(%x: tensor<8xf32>, %i: tensor<4x1xi64>, %u: tensor<5xf32>) {
  // expected-error @+1 {{updates are of type 'tensor<5xf32>', but must be of type 'tensor<4xf32>'}}
  %y = graph.scatter_nd set %x, %i, %u : tensor<8xf32>, tensor<4x1xi64>, tensor<5xf32>
  return
}
