// A small decoder with tied embeddings, grouped heads and ignored labels; its result is a loss.
func.func @forward(%ids: tensor<4x6xi64>, %labels: tensor<4x6xi64>, %table: tensor<11x8xf32>,
    %scale: tensor<8xf32>, %wq: tensor<8x8xf32>, %wk: tensor<8x4xf32>, %wv: tensor<8x4xf32>,
    %wo: tensor<8x8xf32>, %up: tensor<8x12xf32>, %down: tensor<12x8xf32>) -> tensor<f32> {
  %x = graph.gather %table, %ids dim 0 batch 0 : tensor<11x8xf32>, tensor<4x6xi64>
  %n = graph.rms_norm %x scale %scale axis 2 epsilon 1.0e-5 : tensor<4x6x8xf32>, tensor<8xf32>
  %q = graph.contract %n, %wq batch [] x [] over [2] x [0]
      : (tensor<4x6x8xf32>, tensor<8x8xf32>) -> tensor<4x6x8xf32>
  %k = graph.contract %n, %wk batch [] x [] over [2] x [0]
      : (tensor<4x6x8xf32>, tensor<8x4xf32>) -> tensor<4x6x4xf32>
  %v = graph.contract %n, %wv batch [] x [] over [2] x [0]
      : (tensor<4x6x8xf32>, tensor<8x4xf32>) -> tensor<4x6x4xf32>
  %qs = graph.reshape %q : tensor<4x6x8xf32> -> tensor<4x6x4x2xf32>
  %ks = graph.reshape %k : tensor<4x6x4xf32> -> tensor<4x6x2x2xf32>
  %vs = graph.reshape %v : tensor<4x6x4xf32> -> tensor<4x6x2x2xf32>
  %qh = graph.transpose %qs by [0, 2, 1, 3] : tensor<4x6x4x2xf32>
  %kh = graph.transpose %ks by [0, 2, 1, 3] : tensor<4x6x2x2xf32>
  %vh = graph.transpose %vs by [0, 2, 1, 3] : tensor<4x6x2x2xf32>
  %o = graph.attention %qh, %kh, %vh scale 0.7 causal
      : tensor<4x4x6x2xf32>, tensor<4x2x6x2xf32>, tensor<4x2x6x2xf32>
  %ot = graph.transpose %o by [0, 2, 1, 3] : tensor<4x4x6x2xf32>
  %om = graph.reshape %ot : tensor<4x6x4x2xf32> -> tensor<4x6x8xf32>
  %a = graph.contract %om, %wo batch [] x [] over [2] x [0]
      : (tensor<4x6x8xf32>, tensor<8x8xf32>) -> tensor<4x6x8xf32>
  %h = graph.binary add %x, %a : tensor<4x6x8xf32>
  %u = graph.contract %h, %up batch [] x [] over [2] x [0]
      : (tensor<4x6x8xf32>, tensor<8x12xf32>) -> tensor<4x6x12xf32>
  %g = graph.unary gelu_tanh %u : tensor<4x6x12xf32>
  %d = graph.contract %g, %down batch [] x [] over [2] x [0]
      : (tensor<4x6x12xf32>, tensor<12x8xf32>) -> tensor<4x6x8xf32>
  %y = graph.binary add %h, %d : tensor<4x6x8xf32>
  %logits = graph.contract %y, %table batch [] x [] over [2] x [1]
      : (tensor<4x6x8xf32>, tensor<11x8xf32>) -> tensor<4x6x11xf32>
  %losses = graph.cross_entropy %logits, %labels ignore -100 : tensor<4x6x11xf32>, tensor<4x6xi64>
  %sum = graph.reduce sum %losses over [0, 1] : tensor<4x6xf32>
  %share = graph.constant dense<0.05> : tensor<f32>
  %loss = graph.binary mul %sum, %share : tensor<f32>
  return %loss : tensor<f32>
}
