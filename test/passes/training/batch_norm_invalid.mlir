// RUN: shard-opt %s -split-input-file -verify-diagnostics --training-build-step='loss=output:s freeze=mean'

func.func @half(%x: tensor<4x2xf32> {graph.input = "x"}, %scale: tensor<2xf32> {graph.parameter = "scale"},
    %mean: tensor<2xf32> {graph.parameter = "mean"}, %variance: tensor<2xf32> {graph.parameter = "variance"})
    -> (tensor<f32> {graph.output = "s"}) {
  // expected-error @+1 {{has one frozen running statistic of two; freeze both, or none}}
  %0 = graph.batch_norm %x, %scale, %scale, %mean, %variance epsilon 1.0e-5
      : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
  %1 = graph.reduce sum %0 over [0, 1] : tensor<4x2xf32>
  return %1 : tensor<f32>
}

// -----

func.func @constant(%x: tensor<4x2xf32> {graph.input = "x"}, %scale: tensor<2xf32> {graph.parameter = "scale"},
    %mean: tensor<2xf32> {graph.parameter = "mean"}) -> (tensor<f32> {graph.output = "s"}) {
  %variance = graph.constant dense<1.0> : tensor<2xf32>
  // expected-error @+1 {{can't be trained: its mean or variance is a constant, which can't follow the batches; make both parameters of the model}}
  %0 = graph.batch_norm %x, %scale, %scale, %mean, %variance epsilon 1.0e-5
      : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
  %1 = graph.reduce sum %0 over [0, 1] : tensor<4x2xf32>
  return %1 : tensor<f32>
}
