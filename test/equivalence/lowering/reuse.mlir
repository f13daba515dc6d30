// RUN: %python %source/test/equivalence/agree.py %s

// A chain of kernels over one buffer, with a value that lives across it.
// LET a = np.exp(x @ x)
// LET b = np.tanh(a @ a)
// EXPECT y = (b @ a) + a
func.func @forward(%x: tensor<6x6xf32> {graph.input = "x"}) -> (tensor<6x6xf32> {graph.output = "y"}) {
  %p = graph.contract %x, %x batch [] x [] over [1] x [0] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %a = graph.unary exp %p : tensor<6x6xf32>
  %q = graph.contract %a, %a batch [] x [] over [1] x [0] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %b = graph.unary tanh %q : tensor<6x6xf32>
  %r = graph.contract %b, %a batch [] x [] over [1] x [0] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %y = graph.binary add %r, %a : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// -----

// The operand of a scatter is read again afterwards.
// LET s = np.exp(x)
// LET t = np.concatenate([s[:1], u, s[2:]])
// EXPECT y = t + s
// INPUT i = np.array([[1]])
func.func @forward(%x: tensor<4xf32> {graph.input = "x"}, %i: tensor<1x1xi64> {graph.input = "i"},
    %u: tensor<1xf32> {graph.input = "u"}) -> (tensor<4xf32> {graph.output = "y"}) {
  %s = graph.unary exp %x : tensor<4xf32>
  %t = graph.scatter_nd set %s, %i, %u : tensor<4xf32>, tensor<1x1xi64>, tensor<1xf32>
  %y = graph.binary add %t, %s : tensor<4xf32>
  return %y : tensor<4xf32>
}
