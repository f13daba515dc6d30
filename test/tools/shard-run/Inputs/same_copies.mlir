// What two ranks hold copies of stays equal.
dist.mesh @m <["data"=2]>
func.func @train_step(%x: tensor<1x2x2xf32> {graph.input = "x", dist.sharding = #dist.sharding<@m, [{}, {"data"}, {}]>}, %w: tensor<2xf32> {graph.parameter = "w", graph.kept, graph.source = dense<0.0> : tensor<2xf32>})
    -> (tensor<f32> {graph.output = "loss"}, tensor<2xf32> {graph.update = "w"}) attributes {graph.program = "train_step", graph.micro_batches = 1 : i64} {
  %loss = graph.reduce sum %x over [0, 1, 2] : tensor<1x2x2xf32>
  %sum = graph.reduce sum %x over [0, 1] : tensor<1x2x2xf32>
  %v = graph.binary add %w, %sum : tensor<2xf32>
  return %loss, %v : tensor<f32>, tensor<2xf32>
}
