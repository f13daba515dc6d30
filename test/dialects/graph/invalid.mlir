// RUN: shard-opt %s -split-input-file -verify-diagnostics

func.func @type_element(%a: tensor<4xi7>) {
  // expected-error @+1 {{must be statically shaped tensor, less than 2^63 bytes, of floats or integers}}
  %b = "graph.unary"(%a) {kind = #graph<unary_kind abs>} : (tensor<4xi7>) -> tensor<4xi7>
  return
}

// -----

// expected-error @+1 {{arguments 0 and 2 are both the variable "w"}}
func.func @two_variables_of_one_name(%a: tensor<4xf32> {graph.parameter = "w"}, %b: tensor<4xf32> {graph.input = "w"},
                                     %c: tensor<2xf32> {graph.state = "w"}) {
  return
}

// -----

func.func @type_dynamic(%a: tensor<?xf32>) {
  // expected-error @+1 {{must be statically shaped tensor}}
  %b = graph.unary abs %a : tensor<?xf32>
  return
}

// -----

func.func @type_too_large(%a: tensor<4294967296x4294967296xi8>) {
  // expected-error @+1 {{less than 2^63 bytes}}
  %b = graph.unary abs %a : tensor<4294967296x4294967296xi8>
  return
}

// -----

// expected-error @+1 {{range of 8 bytes at offset -1 of "w" is negative or overflows}}
#c1_external_range = #graph.external<"w", -1, 8> : tensor<2xf32>

// -----

// expected-error @+1 {{is negative or overflows}}
#c1_external_wraps = #graph.external<"w", 9223372036854775807, 8> : tensor<2xf32>

// -----

// expected-error @+1 {{takes 8 bytes but "w" gives 4}}
#c2_external_length = #graph.external<"w", 0, 4> : tensor<2xf32>

// -----

// expected-error @+1 {{has no static size}}
#c2_external_dynamic = #graph.external<"w", 0, 4> : tensor<?xf32>

// -----

func.func @c1_constant_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %a = "graph.constant"() {value = dense<1> : tensor<2xi8>} : () -> tensor<3xi8>
  return
}

// -----

func.func @c2_constant_sparse() {
  // expected-error @+1 {{value must be dense elements, a dense resource or a #graph.external}}
  %a = graph.constant sparse<0, 1> : tensor<3xi8>
  return
}

// -----

func.func @c3_constant_resource_size() {
  // expected-error @+1 {{resource 'r' holds 2 bytes, 'tensor<3xi8>' takes 3}}
  %a = graph.constant dense_resource<r> : tensor<3xi8>
  return
}
{-# dialect_resources: { builtin: { r: "0x010000000102" } } #-}

// -----

func.func @c1_iota_dim() {
  // expected-error @+1 {{dim 2 is not a dim of a tensor of rank 2}}
  %a = graph.iota dim 2 : tensor<2x4xi64>
  return
}

// -----

func.func @c1_iota_negative_dim() {
  // expected-error @+1 {{dim -1 is not a dim of a tensor of rank 2}}
  %a = graph.iota dim -1 : tensor<2x4xi64>
  return
}

// -----

func.func @c1_unary_needs_float(%a: tensor<4xi32>) {
  // expected-error @+1 {{exp needs a float type, not 'i32'}}
  %b = graph.unary exp %a : tensor<4xi32>
  return
}

// -----

func.func @c1_unary_needs_integer(%a: tensor<4xf32>) {
  // expected-error @+1 {{not needs an integer type, not 'f32'}}
  %b = graph.unary not %a : tensor<4xf32>
  return
}

// -----

func.func @c1_binary_needs_integer(%a: tensor<4xf32>) {
  // expected-error @+1 {{xor needs an integer type, not 'f32'}}
  %b = graph.binary xor %a, %a : tensor<4xf32>
  return
}

// -----

func.func @c1_binary_needs_float(%a: tensor<4xi32>) {
  // expected-error @+1 {{atan2 needs a float type, not 'i32'}}
  %b = graph.binary atan2 %a, %a : tensor<4xi32>
  return
}

// -----

func.func @select_shapes(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{must have the same shape and base type}}
  %b = graph.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @c1_reshape_count(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{operand has 32 elements, result 30}}
  %b = graph.reshape %a : tensor<4x8xf32> -> tensor<30xf32>
  return
}

// -----

func.func @c1_reshape_type(%a: tensor<4xf32>) {
  // expected-error @+1 {{changes the element type from 'f32' to 'i32'; use graph.cast}}
  %b = graph.reshape %a : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @c1_transpose_repeats(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{permutation entry 1 is repeated or not a dim of a tensor of rank 2}}
  %b = graph.transpose %a by [1, 1] : tensor<4x8xf32>
  return
}

// -----

func.func @c1_transpose_rank(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{permutation has 3 entries for a tensor of rank 2}}
  %b = graph.transpose %a by [0, 1, 2] : tensor<4x8xf32>
  return
}

// -----

func.func @transpose_result(%a: tensor<4x8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{are incompatible with return type(s)}}
  %b = "graph.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @c1_broadcast_rank(%a: tensor<8xf32>) {
  // expected-error @+1 {{dims has 2 entries for an operand of rank 1}}
  %b = graph.broadcast %a to [0, 1] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @c1_broadcast_dim(%a: tensor<8xf32>) {
  // expected-error @+1 {{dims entry 2 is not a dim of a result of rank 2}}
  %b = graph.broadcast %a to [2] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @c1_broadcast_order(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{dims entry 0 follows 1; dims must ascend}}
  %b = graph.broadcast %a to [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @c2_broadcast_extent(%a: tensor<7xf32>) {
  // expected-error @+1 {{operand dim 0 (7) must be 1 or result dim 1 (8)}}
  %b = graph.broadcast %a to [1] : tensor<7xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @c3_broadcast_type(%a: tensor<8xf32>) {
  // expected-error @+1 {{changes the element type from 'f32' to 'f16'; use graph.cast}}
  %b = graph.broadcast %a to [0] : tensor<8xf32> -> tensor<8xf16>
  return
}

// -----

func.func @c1_slice_range(%a: tensor<8xf32>) {
  // expected-error @+1 {{dim 0 goes from 2 to 9, which is not a range in its extent 8}}
  %b = graph.slice %a from [2] to [9] by [1] : tensor<8xf32>
  return
}

// -----

func.func @c1_slice_stride(%a: tensor<8xf32>) {
  // expected-error @+1 {{stride 0 of dim 0 is not positive}}
  %b = graph.slice %a from [2] to [8] by [0] : tensor<8xf32>
  return
}

// -----

func.func @c1_slice_rank(%a: tensor<8xf32>) {
  // expected-error @+1 {{limits has 2 entries for a tensor of rank 1}}
  %b = graph.slice %a from [2] to [8, 8] by [1] : tensor<8xf32>
  return
}

// -----

func.func @c1_pad_negative(%a: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{dim 0 is padded by -1 and 0, which is negative or overflows}}
  %b = graph.pad %a, %v low [-1] high [0] : tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @c1_pad_overflows(%a: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{which is negative or overflows}}
  %b = graph.pad %a, %v low [0] high [9223372036854775807] : tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @c2_pad_value(%a: tensor<8xf32>, %v: tensor<f16>) {
  // expected-error @+1 {{value of type 'tensor<f16>' must be of rank 0 and element type 'f32'}}
  %b = graph.pad %a, %v low [0] high [1] : tensor<8xf32>, tensor<f16>
  return
}

// -----

func.func @c1_concat_dim(%a: tensor<8xf32>) {
  // expected-error @+1 {{dim 1 is not a dim of a tensor of rank 1}}
  %b = graph.concat %a dim 1 : tensor<8xf32>
  return
}

// -----

func.func @c2_concat_differs(%a: tensor<4x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{operand 1 of type 'tensor<3x8xf32>' differs from 'tensor<4x8xf32>' in more than dim 1}}
  %c = graph.concat %a, %b dim 1 : tensor<4x8xf32>, tensor<3x8xf32>
  return
}

// -----

func.func @c3_concat_empty() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{there is nothing to put together: no operands}}
  %c = "graph.concat"() {dim = 0} : () -> tensor<0xf32>
  return
}

// -----

func.func @c1_reverse_dim(%a: tensor<8xf32>) {
  // expected-error @+1 {{dim 0 is repeated or not a dim of a tensor of rank 1}}
  %b = graph.reverse %a dims [0, 0] : tensor<8xf32>
  return
}

// -----

func.func @c1_loop_trip_count(%a: tensor<8xf32>) {
  // expected-error @+1 {{trip count -1 is negative}}
  %b = graph.loop -1(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<8xf32>):
    graph.yield %c : tensor<8xf32>
  }
  return
}

// -----

func.func @c2_loop_arguments(%a: tensor<8xf32>) {
  // expected-error @+1 {{1 body arguments for 2 trip index and operands}}
  %b = graph.loop 2(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>):
    graph.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @c2_loop_yield(%a: tensor<8xf32>) {
  // expected-error @+1 {{yielded value 0 is of type 'tensor<i64>', result 0 of type 'tensor<8xf32>'}}
  %b = graph.loop 2(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<8xf32>):
    graph.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @c1_cluster_arguments(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{body argument 0 is of type 'tensor<8xf32>', operand 0 of type 'tensor<4x8xf32>'}}
  %b = graph.cluster(%a) : (tensor<4x8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    graph.yield %c : tensor<8xf32>
  }
  return
}

// -----

func.func @c2_cluster_member(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{holds graph.reverse, which emits no vectors}}
  %b = graph.cluster(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%c: tensor<4x8xf32>):
    // expected-note @+1 {{the op is here}}
    %d = graph.reverse %c dims [0] : tensor<4x8xf32>
    graph.yield %d : tensor<4x8xf32>
  }
  return
}

// -----

func.func @c2_cluster_constant() {
  // expected-error @+1 {{holds a constant whose elements differ}}
  %b = graph.cluster() : () -> tensor<2xf32> {
    // expected-note @+1 {{the op is here}}
    %d = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    graph.yield %d : tensor<2xf32>
  }
  return
}

// -----

func.func @c3_cluster_type(%a: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{computes with 'f8E4M3FN', which has no compute type}}
  %b = graph.cluster(%a) : (tensor<4xf8E4M3FN>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf8E4M3FN>):
    %d = graph.cast %c : tensor<4xf8E4M3FN> -> tensor<4xf32>
    graph.yield %d : tensor<4xf32>
  }
  return
}

// -----

func.func @c4_cluster_shapes(%a: tensor<4x6xf32>) {
  // expected-error @+1 {{holds ops that share no iteration space}}
  %b = graph.cluster(%a) : (tensor<4x6xf32>) -> tensor<6x4xf32> {
  ^bb0(%c: tensor<4x6xf32>):
    %d = graph.reshape %c : tensor<4x6xf32> -> tensor<6x4xf32>
    graph.yield %d : tensor<6x4xf32>
  }
  return
}

// -----

func.func @c4_cluster_reductions(%a: tensor<4x6xf32>) {
  // expected-error @+1 {{holds ops that share no iteration space}}
  %b:2 = graph.cluster(%a) : (tensor<4x6xf32>) -> (tensor<4xf32>, tensor<6xf32>) {
  ^bb0(%c: tensor<4x6xf32>):
    %d = graph.reduce sum %c over [1] : tensor<4x6xf32>
    %e = graph.reduce sum %c over [0] : tensor<4x6xf32>
    graph.yield %d, %e : tensor<4xf32>, tensor<6xf32>
  }
  return
}

// -----

func.func @c5_cluster_result(%a: tensor<6xf32>) {
  // expected-error @+1 {{yields 'tensor<6xf32>', which has only a part of the rows or columns}}
  %b:2 = graph.cluster(%a) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<4x6xf32>) {
  ^bb0(%c: tensor<6xf32>):
    %d = graph.unary exp %c : tensor<6xf32>
    %e = graph.broadcast %d to [1] : tensor<6xf32> -> tensor<4x6xf32>
    graph.yield %d, %e : tensor<6xf32>, tensor<4x6xf32>
  }
  return
}

// -----

// expected-error @+1 {{argument 0 is both 'graph.input' and 'graph.state'}}
func.func @role_two(%a: tensor<f32> {graph.input = "x", graph.state = "y"}) {
  return
}

// -----

// expected-error @+1 {{'graph.input' of argument 0 must be a string}}
func.func @role_name(%a: tensor<f32> {graph.input = 3}) {
  return
}

// -----

// expected-error @+1 {{unknown argument attribute 'graph.imput'}}
func.func @role_unknown(%a: tensor<f32> {graph.imput = "x"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 has 'graph.source' but no role: 'graph.input', 'graph.parameter' or 'graph.state'}}
func.func @source_without_role(%a: tensor<f32> {graph.source = dense<0.0> : tensor<f32>}) {
  return
}

// -----

// expected-error @+1 {{'graph.source' of argument 0 is of type 'tensor<2xf32>', the argument of type 'tensor<f32>'}}
func.func @source_type(%a: tensor<f32> {graph.parameter = "x", graph.source = dense<0.0> : tensor<2xf32>}) {
  return
}

// -----

// expected-error @+1 {{unknown result attribute 'graph.input'; expected 'graph.output'}}
func.func @role_result(%a: tensor<f32>) -> (tensor<f32> {graph.input = "x"}) {
  return %a : tensor<f32>
}
