// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @c1_rank(%q: tensor<4x8x16xf32>, %k: tensor<4x6x16xf32>) {
  // expected-error @+1 {{query, key and value must have rank 4, but have 3, 3 and 3}}
  %o = graph.attention %q, %k, %k scale 1.0 : tensor<4x8x16xf32>, tensor<4x6x16xf32>, tensor<4x6x16xf32>
  return
}

// -----

func.func @c1_heads(%q: tensor<1x3x8x16xf32>, %k: tensor<1x2x6x16xf32>) {
  // expected-error @+1 {{query heads (3) must be a multiple of key heads (2)}}
  %o = graph.attention %q, %k, %k scale 1.0 : tensor<1x3x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>
  return
}

// -----

func.func @c1_batch(%q: tensor<2x2x8x16xf32>, %k: tensor<1x2x6x16xf32>) {
  // expected-error @+1 {{batch extents of query (2), key (1) and value (1) must be equal}}
  %o = graph.attention %q, %k, %k scale 1.0 : tensor<2x2x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>
  return
}

// -----

func.func @c2_head_size(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x6x8xf32>) {
  // expected-error @+1 {{head sizes of query (16) and key (8) must be equal}}
  %o = graph.attention %q, %k, %k scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>
  return
}

// -----

func.func @c2_length(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x7x16xf32>) {
  // expected-error @+1 {{lengths of key (6) and value (7) must be equal}}
  %o = graph.attention %q, %k, %v scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x7x16xf32>
  return
}

// -----

func.func @c3_mask(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x6x16xf32>, %m: tensor<1x1x8x5xf32>) {
  // expected-error @+1 {{mask 'tensor<1x1x8x5xf32>' must be of floats and broadcast to the scores, 1x2x8x6}}
  %o = graph.attention %q, %k, %k mask %m scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>, tensor<1x1x8x5xf32>
  return
}

// -----

func.func @gradient_c1_length(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x7x16xf32>) {
  // expected-error @+1 {{lengths of key (6) and value (7) must be equal}}
  %0:3 = graph.attention_grad %q, %k, %v, %q scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x8x16xf32>
  return
}

// -----

func.func @gradient_c2_type(%q: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x5xf32>) {
  // expected-error @+1 {{the result's gradient must be of the result's type, 'tensor<1x2x8x5xf32>', but is 'tensor<1x2x8x16xf32>'}}
  %0:3 = graph.attention_grad %q, %q, %v, %q scale 1.0 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x5xf32>, tensor<1x2x8x16xf32>
  return
}

// -----

func.func @gradient_c3_no_mask(%q: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{has a mask_gradient, but no mask}}
  %0:4 = graph.attention_grad %q, %q, %q, %q scale 1.0 mask_gradient : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
  return
}

// -----

func.func @rotary_c1_extent(%x: tensor<1x4x8x16xf32>, %c: tensor<1x2x8x8xf32>) {
  // expected-error @+1 {{cosine dim 1 (2) must be 1 or 4, the operand's}}
  %r = graph.rotary %x, %c, %c : tensor<1x4x8x16xf32>, tensor<1x2x8x8xf32>
  return
}

// -----

func.func @rotary_c2_width(%x: tensor<1x4x8x16xf32>, %c: tensor<1x1x8x9xf32>) {
  // expected-error @+1 {{rotates twice 9 elements, but the last dim has 16}}
  %r = graph.rotary %x, %c, %c : tensor<1x4x8x16xf32>, tensor<1x1x8x9xf32>
  return
}

// -----

func.func @rotary_c3_types(%x: tensor<1x4x8x16xf32>, %c: tensor<1x1x8x8xbf16>) {
  // expected-error @+1 {{operand and cosine must have one element type, but have 'f32' and 'bf16'}}
  %r = graph.rotary %x, %c, %c : tensor<1x4x8x16xf32>, tensor<1x1x8x8xbf16>
  return
}
