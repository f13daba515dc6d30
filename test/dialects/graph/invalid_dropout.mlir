// RUN: shard-opt %s -split-input-file -verify-diagnostics

func.func @c1_ratio(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{ratio must be in [0, 1), found 1}}
  %d = graph.dropout %x ratio 1.0 seed 7 : tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @c2_counter_without_effect(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{has a counter, but is not active}}
  %d = graph.dropout %x ratio 0.5 seed 7 counter %n : tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @random_c1_kind() -> tensor<4xf32> {
  // expected-error @+1 {{bernoulli does not give 'tensor<4xf32>'}}
  %r = graph.random bernoulli seed 7 (0.5, 0.0) : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @random_c1_boolean() -> tensor<4xi1> {
  // expected-error @+1 {{uniform does not give 'tensor<4xi1>'}}
  %r = graph.random uniform seed 7 (0.0, 1.0) : tensor<4xi1>
  return %r : tensor<4xi1>
}

// -----

func.func @random_c2_first_of_nothing(%n: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{has a first element, but no whole tensor}}
  %r = graph.random uniform seed 7 (0.0, 1.0) at %n : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @random_c2_rank(%n: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{is a part of 2 dims, but has 1}}
  %r = graph.random uniform seed 7 (0.0, 1.0) at %n of [8, 8] : tensor<4xf32>
  return %r : tensor<4xf32>
}
