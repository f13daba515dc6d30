// A step of momentum on two ranks: w is cut unevenly, count is on both.
dist.mesh @ranks <["data"=2]>
func.func @step(%w: tensor<5x3xf32> {graph.parameter = "w", graph.kept, graph.source = dense<2.0> : tensor<5x3xf32>, dist.sharding = #dist.sharding<@ranks, [{"data"}, {}]>},
                %m: tensor<5x3xf32> {graph.state = "w.moment", graph.source = dense<0.5> : tensor<5x3xf32>, dist.sharding = #dist.sharding<@ranks, [{"data"}, {}]>},
                %n: tensor<i64> {graph.state = "count", graph.source = dense<7> : tensor<i64>},
                %x: tensor<5x3xf32> {graph.input = "x"})
    -> (tensor<5x3xf32> {graph.update = "w"}, tensor<5x3xf32> {graph.update = "w.moment"},
        tensor<i64> {graph.update = "count"}, tensor<5x3xf32> {graph.output = "y"})
    attributes {graph.program = "train_step"} {
  %a = graph.binary add %m, %x : tensor<5x3xf32>
  %b = graph.binary add %w, %a : tensor<5x3xf32>
  %c = graph.binary add %n, %n : tensor<i64>
  return %b, %a, %c, %b : tensor<5x3xf32>, tensor<5x3xf32>, tensor<i64>, tensor<5x3xf32>
}
