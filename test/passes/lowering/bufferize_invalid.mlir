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
