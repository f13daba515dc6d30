// A layer over four ranks: each waits for all others in its first step.
dist.mesh @ranks <["tensor"=4]>
func.func @forward(%x: tensor<8x8xf32> {graph.input = "x", dist.sharding = #dist.sharding<@ranks, [{}, {"tensor"}]>}, %w: tensor<8x16xf32> {graph.parameter = "w", graph.source = #graph.external<"w.bin", 0, 512> : tensor<8x16xf32>, dist.sharding = #dist.sharding<@ranks, [{"tensor"}, {}]>}) -> (tensor<8x16xf32> {graph.output = "y", dist.sharding = #dist.sharding<@ranks, [{}, {}]>}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> loc("layer/dense")
  %1 = graph.unary tanh %0 : tensor<8x16xf32> loc("layer/tanh")
  return %1 : tensor<8x16xf32>
}
