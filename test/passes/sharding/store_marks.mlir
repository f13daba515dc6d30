// RUN: shard-opt %s --sharding-store=layout=zero1 -verify-diagnostics
dist.mesh @mesh <["data"=2]>
func.func @train_step(%w: tensor<4xf32> {graph.parameter = "w", dist.sharding = #dist.sharding<@mesh, [{}]>}) -> tensor<4xf32> {
  // expected-error @+1 {{is of "v", which is no parameter}}
  %0 = dist.mark gradient %w of "v" : tensor<4xf32>
  return %0 : tensor<4xf32>
}
