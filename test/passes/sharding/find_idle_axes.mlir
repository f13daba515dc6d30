// RUN: shard-opt %s -split-input-file -sharding-propagate -sharding-find-idle-axes -verify-diagnostics

dist.mesh @m <["data"=2, "x"=3, "replica"=2, "one"=1]>
// expected-warning @+1 {{mesh axis "x" cuts nothing: all its 3 ranks compute the same; say by --strategy or --rules what it cuts, leave it out, or call it replica}}
func.func @one_is_idle(%a: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>}) -> tensor<4x8xf32> {
  %0 = graph.unary exp %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// One line is enough.
func.func @also_idle(%a: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>}) -> tensor<4x8xf32> {
  %0 = graph.unary exp %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

dist.mesh @m <["data"=2, "x"=3]>
// One only combines values.
func.func @none_is_idle(%a: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}], partial = sum{"data"}>}) -> tensor<4x8xf32> {
  %0 = dist.constraint %a <@m, [{"x"}, {?}]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

dist.mesh @m <["x"=3]>
// A function of one device runs on no mesh.
func.func @no_mesh(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %a : tensor<4x8xf32>
}
