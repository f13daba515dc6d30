// Manual regions that don't fit, and the program of one device that there is not.
// RUN: shard-opt %s -split-input-file -sharding-strip -verify-diagnostics

dist.mesh @m <["x"=2]>
func.func @no_device(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is what one of several ranks does; one device has no program for it}}
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}]>] out [#dist.sharding<@m, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    dist.yield %block : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
func.func @c1_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 1 operands, 0 shardings and 1 blocks of them}}
  %0 = dist.manual(%x) in [] out [#dist.sharding<@m, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    dist.yield %block : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
dist.mesh @n <["x"=2]>
func.func @c1_mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has shardings of the meshes @m and @n}}
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}]>] out [#dist.sharding<@n, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    dist.yield %block : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
func.func @c2_open(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand 0 has a sharding that is not final}}
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x", ?}]>] out [#dist.sharding<@m, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    dist.yield %block : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
func.func @c3_block(%x: tensor<5xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{result 0 has blocks of 'tensor<3xf32>', not 'tensor<2xf32>'}}
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}]>] out [#dist.sharding<@m, [{"x"}]>] : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%block: tensor<3xf32>):
    %1 = graph.slice %block from [0] to [2] by [1] : tensor<3xf32>
    dist.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<5xf32>
}

// -----

dist.mesh @m <["x"=2]>
func.func @c4_whole(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}]>] out [#dist.sharding<@m, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    // expected-error @+1 {{says where a whole tensor lives, but the dist.manual around it computes on blocks}}
    %1 = dist.constraint %block <@m, [{}]> : tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
dist.mesh @n <["x"=2]>
func.func @c4_mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dist.manual(%x) in [#dist.sharding<@m, [{"x"}]>] out [#dist.sharding<@m, [{"x"}]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%block: tensor<2xf32>):
    // expected-error @+1 {{is over mesh @n, the dist.manual around it over @m}}
    %1 = dist.send_recv %block sources [1, 0] over <@n, {"x"}> : tensor<2xf32>
    dist.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<4xf32>
}
