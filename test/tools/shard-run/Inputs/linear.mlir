// Linear regression by gradient descent: two micro-batches of four samples; validation of four samples.
func.func @step(%x: tensor<2x4x3xf32> {graph.input = "x"},
                %y: tensor<2x4xf32> {graph.input = "y"},
                %w: tensor<3xf32> {graph.parameter = "w", graph.kept, graph.source = dense<0.0> : tensor<3xf32>})
    -> (tensor<f32> {graph.output = "loss"}, tensor<3xf32> {graph.update = "w"})
    attributes {graph.program = "train_step", graph.micro_batches = 2 : i64} {
  %p = graph.contract %x, %w batch [] x [] over [2] x [0] : (tensor<2x4x3xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  %e = graph.binary sub %p, %y : tensor<2x4xf32>
  %g = graph.contract %x, %e batch [] x [] over [0, 1] x [0, 1] : (tensor<2x4x3xf32>, tensor<2x4xf32>) -> tensor<3xf32>
  %q = graph.binary mul %e, %e : tensor<2x4xf32>
  %s = graph.reduce sum %q over [0, 1] : tensor<2x4xf32>
  %n = graph.constant dense<0.125> : tensor<f32>
  %loss = graph.binary mul %s, %n : tensor<f32>
  %rate = graph.constant dense<0.025> : tensor<3xf32>
  %d = graph.binary mul %g, %rate : tensor<3xf32>
  %v = graph.binary sub %w, %d : tensor<3xf32>
  return %loss, %v : tensor<f32>, tensor<3xf32>
}
func.func @eval(%x: tensor<1x4x3xf32> {graph.input = "x"},
                %y: tensor<1x4xf32> {graph.input = "y"},
                %w: tensor<3xf32> {graph.parameter = "w", graph.kept, graph.source = dense<0.0> : tensor<3xf32>})
    -> (tensor<f32> {graph.output = "loss"}, tensor<f32> {graph.output = "count"})
    attributes {graph.program = "eval", graph.micro_batches = 1 : i64} {
  %p = graph.contract %x, %w batch [] x [] over [2] x [0] : (tensor<1x4x3xf32>, tensor<3xf32>) -> tensor<1x4xf32>
  %e = graph.binary sub %p, %y : tensor<1x4xf32>
  %q = graph.binary mul %e, %e : tensor<1x4xf32>
  %s = graph.reduce sum %q over [0, 1] : tensor<1x4xf32>
  %n = graph.constant dense<0.25> : tensor<f32>
  %loss = graph.binary mul %s, %n : tensor<f32>
  %c = graph.constant dense<4.0> : tensor<f32>
  return %loss, %c : tensor<f32>, tensor<f32>
}
