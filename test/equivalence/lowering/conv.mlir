// RUN: %python %source/test/equivalence/agree.py %s

// Two convolutions with a residual between them, channels last; the pool stays in that order.
// LET c1 = np.maximum(np.einsum("nihw,oi->nohw", x, f[:, :, 0, 0]) + b[:, None, None], 0)
// LET c2 = np.maximum(np.einsum("nihw,oi->nohw", c1, g[:, :, 0, 0]) + c1, 0)
// EXPECT y = c2.reshape(2, 32, 2, 2, 2, 2).max((3, 5))
func.func @forward(%x: tensor<2x3x4x4xf32> {graph.input = "x"},
    %f: tensor<32x3x1x1xf32> {graph.parameter = "f", graph.source = #graph.external<"f.bin", 0, 384> : tensor<32x3x1x1xf32>},
    %g: tensor<32x32x1x1xf32> {graph.parameter = "g", graph.source = #graph.external<"g.bin", 0, 4096> : tensor<32x32x1x1xf32>},
    %b: tensor<32xf32> {graph.parameter = "b", graph.source = #graph.external<"b.bin", 0, 128> : tensor<32xf32>})
    -> (tensor<2x32x2x2xf32> {graph.output = "y"}) {
  %a = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<2x3x4x4xf32>, tensor<32x3x1x1xf32>
  %wide = graph.broadcast %b to [1] : tensor<32xf32> -> tensor<2x32x4x4xf32>
  %s = graph.binary add %a, %wide : tensor<2x32x4x4xf32>
  %c1 = graph.unary relu %s : tensor<2x32x4x4xf32>
  %d = graph.conv %c1, %g strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<2x32x4x4xf32>, tensor<32x32x1x1xf32>
  %r = graph.binary add %d, %c1 : tensor<2x32x4x4xf32>
  %c2 = graph.unary relu %r : tensor<2x32x4x4xf32>
  %y = graph.pool max %c2 window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1] : tensor<2x32x4x4xf32>
  return %y : tensor<2x32x2x2xf32>
}

// -----

// What lies between two convolutions works on flat memory.
// LET c = np.tanh(np.einsum("nihw,oi->nohw", x, f[:, :, 0, 0]) * 0.5)
// EXPECT y = np.einsum("nihw,oi->nohw", c, g[:, :, 0, 0])
func.func @forward(%x: tensor<1x16x3x3xf32> {graph.input = "x"},
    %f: tensor<16x16x1x1xf32> {graph.parameter = "f", graph.source = #graph.external<"f.bin", 0, 1024> : tensor<16x16x1x1xf32>},
    %g: tensor<24x16x1x1xf32> {graph.parameter = "g", graph.source = #graph.external<"g.bin", 0, 1536> : tensor<24x16x1x1xf32>})
    -> (tensor<1x24x3x3xf32> {graph.output = "y"}) {
  %a = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x3x3xf32>, tensor<16x16x1x1xf32>
  %half = graph.constant dense<0.5> : tensor<1x16x3x3xf32>
  %h = graph.binary mul %a, %half : tensor<1x16x3x3xf32>
  %t = graph.unary tanh %h : tensor<1x16x3x3xf32>
  %y = graph.conv %t, %g strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x3x3xf32>, tensor<24x16x1x1xf32>
  return %y : tensor<1x24x3x3xf32>
}

// -----

// A filter that three convolutions share, two of them of the same form.
// LET c = np.einsum("nihw,oi->nohw", x, f[:, :, 0, 0])
// EXPECT y = np.einsum("nihw,oi->nohw", c, f[:, :, 0, 0])
// EXPECT v = np.einsum("nihw,oi->nohw", z, f[:, :, 0, 0])
func.func @forward(%x: tensor<1x16x3x3xf32> {graph.input = "x"}, %z: tensor<1x16x5x5xf32> {graph.input = "z"},
    %f: tensor<16x16x1x1xf32> {graph.parameter = "f", graph.source = #graph.external<"f.bin", 0, 1024> : tensor<16x16x1x1xf32>})
    -> (tensor<1x16x3x3xf32> {graph.output = "y"}, tensor<1x16x5x5xf32> {graph.output = "v"}) {
  %c = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x3x3xf32>, tensor<16x16x1x1xf32>
  %y = graph.conv %c, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x3x3xf32>, tensor<16x16x1x1xf32>
  %v = graph.conv %z, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x5x5xf32>, tensor<16x16x1x1xf32>
  return %y, %v : tensor<1x16x3x3xf32>, tensor<1x16x5x5xf32>
}

// -----

// A filter that is an input can't be packed.
// EXPECT y = np.einsum("nihw,oi->nohw", x, f[:, :, 0, 0])
func.func @forward(%x: tensor<1x16x3x3xf32> {graph.input = "x"}, %f: tensor<16x16x1x1xf32> {graph.input = "f"})
    -> (tensor<1x16x3x3xf32> {graph.output = "y"}) {
  %y = graph.conv %x, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x16x3x3xf32>, tensor<16x16x1x1xf32>
  return %y : tensor<1x16x3x3xf32>
}

// -----

// Negative padding: the convolution does not see what is cut off, its adjoint gives zeros there.
// EXPECT y = np.einsum("nis,oi->nos", np.pad(x, ((0, 0), (0, 0), (0, 1)))[:, :, 2:], f[:, :, 0])
// EXPECT z = np.pad(np.einsum("nos,oi->nis", y, f[:, :, 0]), ((0, 0), (0, 0), (2, 0)))[:, :, :6]
func.func @forward(%x: tensor<2x3x6xf32> {graph.input = "x"},
    %f: tensor<4x3x1xf32> {graph.parameter = "f", graph.source = #graph.external<"f.bin", 0, 48> : tensor<4x3x1xf32>})
    -> (tensor<2x4x5xf32> {graph.output = "y"}, tensor<2x3x6xf32> {graph.output = "z"}) {
  %y = graph.conv %x, %f strides [1] pad [-2] to [1] dilations [1] groups 1 : tensor<2x3x6xf32>, tensor<4x3x1xf32>
  %z = graph.conv_input_grad %y, %f strides [1] pad [-2] to [1] dilations [1] groups 1
      : (tensor<2x4x5xf32>, tensor<4x3x1xf32>) -> tensor<2x3x6xf32>
  return %y, %z : tensor<2x4x5xf32>, tensor<2x3x6xf32>
}
