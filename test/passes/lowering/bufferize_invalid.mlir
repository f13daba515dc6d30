// RUN: shard-opt %s --lowering-bufferize -split-input-file -verify-diagnostics

func.func @no_kernel(%x: tensor<1x2x6xf32>, %g: tensor<1x4x3xf32>) -> tensor<4x2x2xf32> {
  // expected-error @+1 {{no host kernel for graph.conv_filter_grad on f32}}
  %f = graph.conv_filter_grad %x, %g strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x2x6xf32>, tensor<1x4x3xf32>) -> tensor<4x2x2xf32>
  return %f : tensor<4x2x2xf32>
}

// -----

func.func @too_large(%x: tensor<1xf32>) -> tensor<1152921504606846976xf32> {
  // expected-error @+1 {{more than 2^60 bytes}}
  %y = graph.broadcast %x to [0] : tensor<1xf32> -> tensor<1152921504606846976xf32>
  return %y : tensor<1152921504606846976xf32>
}

// -----

dist.mesh @m <["x"=2]>
// expected-error @+1 {{argument 0 is partial; what a program takes and gives is not: take partial off its sharding}}
func.func @partial_argument(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = sum{"x"}>, dist.whole = tensor<4xf32>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
// expected-error @+1 {{result 0 is partial; what a program takes and gives is not: take partial off its sharding}}
func.func @partial_result(%x: tensor<4xf32>) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = max{"x"}>, dist.whole = tensor<4xf32>}) {
  return %x : tensor<4xf32>
}
