// RUN: %python %source/test/equivalence/agree.py %s

// Movement alone, to outputs.
// EXPECT t = x.transpose(2, 0, 1)
// EXPECT s = x[1:2, ::2, 1:4:2]
// EXPECT r = x[:, ::-1, :]
// EXPECT b = np.broadcast_to(v[None, :, None], (2, 3, 4))
// EXPECT m = x.transpose(0, 2, 1).reshape(2, 12)
func.func @forward(%x: tensor<2x3x4xf32> {graph.input = "x"}, %v: tensor<3xf32> {graph.input = "v"})
    -> (tensor<4x2x3xf32> {graph.output = "t"}, tensor<1x2x2xf32> {graph.output = "s"},
        tensor<2x3x4xf32> {graph.output = "r"}, tensor<2x3x4xf32> {graph.output = "b"},
        tensor<2x12xf32> {graph.output = "m"}) {
  %t = graph.transpose %x by [2, 0, 1] : tensor<2x3x4xf32>
  %s = graph.slice %x from [1, 0, 1] to [2, 3, 4] by [1, 2, 2] : tensor<2x3x4xf32>
  %r = graph.reverse %x dims [1] : tensor<2x3x4xf32>
  %b = graph.broadcast %v to [1] : tensor<3xf32> -> tensor<2x3x4xf32>
  %p = graph.transpose %x by [0, 2, 1] : tensor<2x3x4xf32>
  %m = graph.reshape %p : tensor<2x4x3xf32> -> tensor<2x12xf32>
  return %t, %s, %r, %b, %m : tensor<4x2x3xf32>, tensor<1x2x2xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x12xf32>
}

// -----

// Views of views before arithmetic, in every order.
// EXPECT y = np.exp(x[:, ::-1].T[1:3]) + v[:, None]
func.func @forward(%x: tensor<5x4xf32> {graph.input = "x"}, %v: tensor<2xf32> {graph.input = "v"})
    -> (tensor<2x5xf32> {graph.output = "y"}) {
  %r = graph.reverse %x dims [1] : tensor<5x4xf32>
  %t = graph.transpose %r by [1, 0] : tensor<5x4xf32>
  %s = graph.slice %t from [1, 0] to [3, 5] by [1, 1] : tensor<4x5xf32>
  %e = graph.unary exp %s : tensor<2x5xf32>
  %b = graph.broadcast %v to [0] : tensor<2xf32> -> tensor<2x5xf32>
  %y = graph.binary add %e, %b : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// Concats within concats, a value twice, and an empty piece.
// EXPECT y = np.concatenate([x, np.exp(x), np.concatenate([np.exp(v), v], 1), v], 1)
// EXPECT z = np.concatenate([v, v], 0)
func.func @forward(%x: tensor<2x3xf32> {graph.input = "x"}, %v: tensor<2x1xf32> {graph.input = "v"},
    %n: tensor<2x0xf32> {graph.input = "n"})
    -> (tensor<2x9xf32> {graph.output = "y"}, tensor<4x1xf32> {graph.output = "z"}) {
  %e = graph.unary exp %x : tensor<2x3xf32>
  %f = graph.unary exp %v : tensor<2x1xf32>
  %inner = graph.concat %f, %n, %v dim 1 : tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x1xf32>
  %y = graph.concat %x, %e, %inner, %v dim 1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x1xf32>
  %z = graph.concat %v, %v dim 0 : tensor<2x1xf32>, tensor<2x1xf32>
  return %y, %z : tensor<2x9xf32>, tensor<4x1xf32>
}

// -----

// EXPECT y = np.pad(x, ((1, 0), (2, 1)), constant_values=7)
func.func @forward(%x: tensor<2x3xf32> {graph.input = "x"}) -> (tensor<3x6xf32> {graph.output = "y"}) {
  %seven = graph.constant dense<7.0> : tensor<f32>
  %y = graph.pad %x, %seven low [1, 2] high [0, 1] : tensor<2x3xf32>, tensor<f32>
  return %y : tensor<3x6xf32>
}

// -----

// An output that is an input, a constant, and the same value twice.
// EXPECT a = x
// EXPECT b = np.full((2, 2), 3, np.int32)
// EXPECT c = np.negative(x)
// EXPECT d = np.negative(x)
func.func @forward(%x: tensor<3xf32> {graph.input = "x"})
    -> (tensor<3xf32> {graph.output = "a"}, tensor<2x2xi32> {graph.output = "b"},
        tensor<3xf32> {graph.output = "c"}, tensor<3xf32> {graph.output = "d"}) {
  %b = graph.constant dense<3> : tensor<2x2xi32>
  %c = graph.unary neg %x : tensor<3xf32>
  return %x, %b, %c, %c : tensor<3xf32>, tensor<2x2xi32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Nothing: views of it stay within its memory, and there is nothing to compute.
// EXPECT r = x[::-1, ::-1]
// EXPECT s = x[:, 1:2]
// EXPECT n = x
// EXPECT t = np.sum(x, 0)
// EXPECT i = np.zeros((0, 1), np.float32)
func.func @forward(%x: tensor<0x2xf32> {graph.input = "x"}, %g: tensor<2xf32> {graph.input = "g"})
    -> (tensor<0x2xf32> {graph.output = "r"}, tensor<0x1xf32> {graph.output = "s"}, tensor<0x2xf32> {graph.output = "n"},
        tensor<2xf32> {graph.output = "t"}, tensor<0x1xf32> {graph.output = "i"}) {
  %i = graph.iota dim 0 : tensor<0x1xf32>
  %r = graph.reverse %x dims [0, 1] : tensor<0x2xf32>
  %s = graph.slice %x from [0, 1] to [0, 2] by [1, 1] : tensor<0x2xf32>
  %n = graph.rms_norm %x scale %g axis 1 epsilon 1.0e-1 : tensor<0x2xf32>, tensor<2xf32>
  %t = graph.reduce sum %x over [0] : tensor<0x2xf32>
  return %r, %s, %n, %t, %i : tensor<0x2xf32>, tensor<0x1xf32>, tensor<0x2xf32>, tensor<2xf32>, tensor<0x1xf32>
}
