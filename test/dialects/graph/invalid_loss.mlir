// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @c1_labels(%x: tensor<4x8xf32>, %t: tensor<3xi64>) {
  // expected-error @+1 {{labels ('tensor<3xi64>') must have the leading shape of logits ('tensor<4x8xf32>')}}
  %l = graph.cross_entropy %x, %t : tensor<4x8xf32>, tensor<3xi64>
  return
}

// -----

func.func @c2_smoothing(%x: tensor<4x8xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{label smoothing must be in [0, 1], but is}}
  %l = graph.cross_entropy %x, %t {labelSmoothing = 1.5} : tensor<4x8xf32>, tensor<4xi64>
  return
}
