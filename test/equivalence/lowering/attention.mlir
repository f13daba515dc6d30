// RUN: %python %source/test/equivalence/agree.py %s

// Heads are read from and written to the projections' own layout.
// LET q = x.reshape(2, 5, 3, 4).transpose(0, 2, 1, 3)
// LET s = np.einsum("bhsd,bhtd->bhst", q, q) * 0.5
// LET e = np.exp(s - s.max(-1, keepdims=True))
// LET o = np.einsum("bhst,bhtd->bhsd", e / e.sum(-1, keepdims=True), q)
// EXPECT y = o.transpose(0, 2, 1, 3).reshape(2, 5, 12) @ w
func.func @forward(%x: tensor<2x5x12xf32> {graph.input = "x"},
    %w: tensor<12x12xf32> {graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 576> : tensor<12x12xf32>})
    -> (tensor<2x5x12xf32> {graph.output = "y"}) {
  %r = graph.reshape %x : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %q = graph.transpose %r by [0, 2, 1, 3] : tensor<2x5x3x4xf32>
  %o = graph.attention %q, %q, %q scale 0.5 : tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>
  %t = graph.transpose %o by [0, 2, 1, 3] : tensor<2x3x5x4xf32>
  %m = graph.reshape %t : tensor<2x5x3x4xf32> -> tensor<2x5x12xf32>
  %y = graph.contract %m, %w batch [] x [] over [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
  return %y : tensor<2x5x12xf32>
}

// -----

// Half-precision heads with a mask in f32, and one in f64, which the call does not take.
// INPUT m = np.where(rng.random((2, 1, 5, 5)) < 0.5, 0, -3e38).astype(np.float32)
// LET h = x.astype(np.float32)
// LET s = np.einsum("bhsd,bhtd->bhst", h, h) * 0.5
// LET e = np.exp(s + m - (s + m).max(-1, keepdims=True))
// LET g = np.exp(s + n - (s + n).max(-1, keepdims=True))
// EXPECT y = np.einsum("bhst,bhtd->bhsd", e / e.sum(-1, keepdims=True), h).astype(np.float16)
// EXPECT z = np.einsum("bhst,bhtd->bhsd", g / g.sum(-1, keepdims=True), h).astype(np.float16)
func.func @forward(%x: tensor<2x3x5x4xf16> {graph.input = "x"}, %m: tensor<2x1x5x5xf32> {graph.input = "m"}, %n: tensor<1x1x5x5xf64> {graph.input = "n"})
    -> (tensor<2x3x5x4xf16> {graph.output = "y"}, tensor<2x3x5x4xf16> {graph.output = "z"}) {
  %y = graph.attention %x, %x, %x mask %m scale 0.5 : tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<2x1x5x5xf32>
  %z = graph.attention %x, %x, %x mask %n scale 0.5 : tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<1x1x5x5xf64>
  return %y, %z : tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>
}
