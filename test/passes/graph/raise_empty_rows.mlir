// A query that sees no key gives 0, in attention and in what it is raised from and decomposed to.
// RUN: shard-opt %s --graph-raise --canonicalize | FileCheck %s --check-prefix=RAISED
// RUN: shard-opt %s --graph-decompose | FileCheck %s --check-prefix=DECOMPOSED

// As torch.onnx writes scaled_dot_product_attention.
// RAISED-LABEL: func @nan_replaced
func.func @nan_replaced(%q: tensor<1x2x3x4xf32>, %m: tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32> {
  // INPUT m = np.where(np.tril(np.ones((1, 2, 3, 3)), -1) > 0, 0, -np.inf)
  // RAISED-NEXT: %[[O:.*]] = graph.attention %arg0, %arg0, %arg0 mask %arg1 scale 1.000000e+00
  // RAISED-NEXT: return %[[O]]
  %zero = graph.constant dense<0.0> : tensor<1x2x3x3xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.binary add %s, %m : tensor<1x2x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x3x3xf32>
  %nan = graph.compare ne %p, %p : tensor<1x2x3x3xf32>
  %w = graph.select %nan, %zero, %p : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
  %o = graph.contract %w, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// RAISED-LABEL: func @highest_score
func.func @highest_score(%q: tensor<1x2x3x4xf32>, %m: tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32> {
  // INPUT m = np.where(np.tril(np.ones((1, 2, 3, 3)), -1) > 0, 0, -np.inf)
  // RAISED: graph.attention %arg0, %arg0, %arg0 mask %arg1 scale 1.000000e+00
  %zero = graph.constant dense<0.0> : tensor<1x2x3x3xf32>
  %low = graph.constant dense<0xFF800000> : tensor<1x2x3xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.binary add %s, %m : tensor<1x2x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x3x3xf32>
  %highest = graph.reduce max %z over [3] : tensor<1x2x3x3xf32>
  %some = graph.compare ne %highest, %low : tensor<1x2x3xf32>
  %wide = graph.broadcast %some to [0, 1, 2] : tensor<1x2x3xi1> -> tensor<1x2x3x3xi1>
  %w = graph.select %wide, %p, %zero : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
  %o = graph.contract %w, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// The highest score of other rows, or another bound, says something else.
// RAISED-LABEL: func @other_bound
// RAISED-NOT: graph.attention
func.func @other_bound(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<1x2x3x3xf32>
  %low = graph.constant dense<0.5> : tensor<1x2x3xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %p = graph.softmax %s dim 3 : tensor<1x2x3x3xf32>
  %highest = graph.reduce max %s over [3] : tensor<1x2x3x3xf32>
  %some = graph.compare ne %highest, %low : tensor<1x2x3xf32>
  %wide = graph.broadcast %some to [0, 1, 2] : tensor<1x2x3xi1> -> tensor<1x2x3x3xi1>
  %w = graph.select %wide, %p, %zero : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
  %o = graph.contract %w, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// RAISED-LABEL: func @masked
// DECOMPOSED-LABEL: func @masked
func.func @masked(%q: tensor<1x2x2x4xf32>, %m: tensor<1x1x2x2xf32>) -> tensor<1x2x2x4xf32> {
  // INPUT m = [[[[-np.inf, -np.inf], [0, -np.inf]]]]
  // DECOMPOSED: graph.reduce max
  // DECOMPOSED: graph.select
  %o = graph.attention %q, %q, %q mask %m scale 0.5 : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x1x2x2xf32>
  return %o : tensor<1x2x2x4xf32>
}

// DECOMPOSED-LABEL: func @more_queries_than_keys
func.func @more_queries_than_keys(%q: tensor<1x2x4x4xf32>, %k: tensor<1x2x2x4xf32>) -> tensor<1x2x4x4xf32> {
  // DECOMPOSED-COUNT-2: graph.select
  %o = graph.attention %q, %k, %k scale 0.5 causal : tensor<1x2x4x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
  return %o : tensor<1x2x4x4xf32>
}
