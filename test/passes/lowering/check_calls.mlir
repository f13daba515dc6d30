// RUN: shard-opt %s --lowering-check-calls=device=cuda -verify-diagnostics
// RUN: shard-opt %s --lowering-check-calls=device=host

// Each is reported, in one run.
func.func @missing(%w: tensor<16x16xf32>, %a: tensor<4xi16>) -> (tensor<16x16xf32>, tensor<4xi16>, tensor<4xi16>) {
  // expected-error @+1 {{GPUs have no call "pack_weights"; compile for the host}}
  %p = exec.apply "pack_weights"(%w) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{ranks with GPUs can't combine elements of 'i16', which NCCL does not have; cast them to a wider type before}}
  %s = exec.apply "all_reduce"(%a) with {axes = array<i64: 0, 1, 2>} : (tensor<4xi16>) -> tensor<4xi16>
  // expected-error @+1 {{can't combine elements of 'i16'}}
  %r = exec.apply "reduce_scatter"(%a) with {axes = array<i64: 0, 1, 2>} : (tensor<4xi16>) -> tensor<4xi16>
  return %p, %s, %r : tensor<16x16xf32>, tensor<4xi16>, tensor<4xi16>
}

func.func @present(%a: tensor<4xi32>, %b: tensor<4xi16>) -> (tensor<4xi32>, tensor<4xi16>) {
  %s = exec.apply "all_reduce"(%a) with {axes = array<i64: 0, 1, 2>} : (tensor<4xi32>) -> tensor<4xi32>
  %c = exec.apply "cumulative"(%b) with {kind = "sum", dim = 0 : i64} : (tensor<4xi16>) -> tensor<4xi16>
  return %s, %c : tensor<4xi32>, tensor<4xi16>
}
