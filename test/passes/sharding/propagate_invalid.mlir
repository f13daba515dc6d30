// A function runs on one mesh: nothing passes between two of them, and two orders of devices are two meshes.
// RUN: shard-opt %s -split-input-file -sharding-propagate -verify-diagnostics

dist.mesh @m <["a"=2]>
dist.mesh @n <["b"=2]>
// expected-error @+1 {{is sharded over mesh @n = #dist.mesh<["b"=2]>, others in the function over @m = #dist.mesh<["a"=2]>; a function runs on one mesh}}
func.func @two_meshes(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}]>}, %y: tensor<8xf32> {dist.sharding = #dist.sharding<@n, [{"b"}]>}) -> tensor<8xf32> {
  %0 = graph.binary add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m <["a"=4]>
dist.mesh @reversed <["a"=4], devices = [3, 2, 1, 0]>
func.func @two_device_orders(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}]>}) -> tensor<8xf32> {
  // expected-error @+1 {{a function runs on one mesh}}
  %0 = dist.constraint %x <@reversed, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @no_block(%x: tensor<4x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<16x5xf32> {
  // expected-error @+1 {{is what one rank does with its block; put it into a dist.manual}}
  %0 = dist.all_gather %x dim 0 over <@m, {"x"}> : tensor<4x5xf32> -> tensor<16x5xf32>
  return %0 : tensor<16x5xf32>
}
