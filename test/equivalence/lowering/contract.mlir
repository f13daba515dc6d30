// RUN: %python %source/test/equivalence/agree.py %s

// Packed weights, bias and activation.
// EXPECT y = np.maximum(x @ w + b, 0)
func.func @forward(%x: tensor<4x64xf32> {graph.input = "x"},
    %w: tensor<64x32xf32> {graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 8192> : tensor<64x32xf32>},
    %b: tensor<32xf32> {graph.parameter = "b", graph.source = #graph.external<"b.bin", 0, 128> : tensor<32xf32>})
    -> (tensor<4x32xf32> {graph.output = "y"}) {
  %c = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %wide = graph.broadcast %b to [1] : tensor<32xf32> -> tensor<4x32xf32>
  %s = graph.binary add %c, %wide : tensor<4x32xf32>
  %y = graph.unary relu %s : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

// A transposed factor is read where it is.
// EXPECT y = a.T @ b
func.func @forward(%a: tensor<8x5xf32> {graph.input = "a"}, %b: tensor<8x3xf32> {graph.input = "b"})
    -> (tensor<5x3xf32> {graph.output = "y"}) {
  %t = graph.transpose %a by [1, 0] : tensor<8x5xf32>
  %y = graph.contract %t, %b batch [] x [] over [1] x [0] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// Weights that a gather reads as well are not packed.
// EXPECT y = x @ w.T
// EXPECT z = w[i]
// INPUT i = np.array([3, 0, -1])
func.func @forward(%x: tensor<4x16xf32> {graph.input = "x"}, %i: tensor<3xi64> {graph.input = "i"},
    %w: tensor<20x16xf32> {graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 1280> : tensor<20x16xf32>})
    -> (tensor<4x20xf32> {graph.output = "y"}, tensor<3x16xf32> {graph.output = "z"}) {
  %y = graph.contract %x, %w batch [] x [] over [1] x [1] : (tensor<4x16xf32>, tensor<20x16xf32>) -> tensor<4x20xf32>
  %z = graph.gather %w, %i dim 0 batch 0 : tensor<20x16xf32>, tensor<3xi64>
  return %y, %z : tensor<4x20xf32>, tensor<3x16xf32>
}

// -----

// Integers, a batch, and no element at all.
// EXPECT y = np.einsum("bmk,bkn->bmn", a, b)
// EXPECT z = np.zeros((2, 0), np.float32)
func.func @forward(%a: tensor<2x3x4xi32> {graph.input = "a"}, %b: tensor<2x4x5xi32> {graph.input = "b"},
    %e: tensor<0x3xf32> {graph.input = "e"}, %f: tensor<2x3xf32> {graph.input = "f"})
    -> (tensor<2x3x5xi32> {graph.output = "y"}, tensor<2x0xf32> {graph.output = "z"}) {
  %y = graph.contract %a, %b batch [0] x [0] over [2] x [1] : (tensor<2x3x4xi32>, tensor<2x4x5xi32>) -> tensor<2x3x5xi32>
  %z = graph.contract %f, %e batch [] x [] over [1] x [1] : (tensor<2x3xf32>, tensor<0x3xf32>) -> tensor<2x0xf32>
  return %y, %z : tensor<2x3x5xi32>, tensor<2x0xf32>
}

// -----

// Contracted dims in another order on each side, and dims of one role that lie apart.
// EXPECT y = np.einsum("ij,ji->", a, b)
// EXPECT z = np.einsum("abcd,abed->bec", g, h).transpose(0, 2, 1)
func.func @forward(%a: tensor<3x5xf32> {graph.input = "a"}, %b: tensor<5x3xf32> {graph.input = "b"},
    %g: tensor<3x2x4x7xf32> {graph.input = "g"}, %h: tensor<3x2x5x7xf32> {graph.input = "h"})
    -> (tensor<f32> {graph.output = "y"}, tensor<2x4x5xf32> {graph.output = "z"}) {
  %y = graph.contract %a, %b batch [] x [] over [0, 1] x [1, 0] : (tensor<3x5xf32>, tensor<5x3xf32>) -> tensor<f32>
  %z = graph.contract %g, %h batch [1] x [1] over [0, 3] x [0, 3] : (tensor<3x2x4x7xf32>, tensor<3x2x5x7xf32>) -> tensor<2x4x5xf32>
  return %y, %z : tensor<f32>, tensor<2x4x5xf32>
}

// -----

// A reversed batch dim is copied: the library takes no negative strides.
// EXPECT y = np.einsum("ab,bca->bc", a[:, ::-1], b)
func.func @forward(%a: tensor<2x2xf32> {graph.input = "a"}, %b: tensor<2x2x2xf32> {graph.input = "b"})
    -> (tensor<2x2xf32> {graph.output = "y"}) {
  %r = graph.reverse %a dims [1] : tensor<2x2xf32>
  %y = graph.contract %r, %b batch [1] x [0] over [0] x [2] : (tensor<2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
