// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @c1_no_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{reduces dim 2 of an operand of rank 2}}
  %s = graph.reduce sum %x over [2] : tensor<4x8xf32>
  return
}

// -----

func.func @c1_order(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dims must ascend, but 0 follows 1}}
  %s = graph.reduce sum %x over [1, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @c2_booleans(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{any needs booleans, but the operand is of 'f32'}}
  %s = graph.reduce any %x over [1] : tensor<4x8xf32>
  return
}

// -----

func.func @arg_reduce_c1_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{kind must be max or min, but is sum}}
  %s = graph.arg_reduce sum %x dim 1 : tensor<4x8xf32>
  return
}

// -----

func.func @arg_reduce_c2_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dim 2 is no dim of an operand of rank 2}}
  %s = graph.arg_reduce max %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @arg_reduce_c2_empty(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{dim 1 is empty and has no max}}
  %s = graph.arg_reduce max %x dim 1 : tensor<4x0xf32>
  return
}

// -----

func.func @cumulative_c1_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{kind must be sum or prod, but is max}}
  %s = graph.cumulative max %x dim 1 : tensor<4x8xf32>
  return
}

// -----

func.func @cumulative_c2_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dim -1 is no dim of an operand of rank 2}}
  %s = graph.cumulative sum %x dim -1 : tensor<4x8xf32>
  return
}

// -----

func.func @sort_c1_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dim 2 is no dim of an operand of rank 2}}
  %v, %i = graph.sort %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @topk_c1_k(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{k (9) must be in [0, 8], the extent of dim 1}}
  %v, %i = graph.topk %x dim 1 k 9 : tensor<4x8xf32>
  return
}
