// RUN: shard-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dim 2 is no dim of an operand of rank 2}}
  %y = graph.softmax %x dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c1_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis -1 is no dim of an operand of rank 2}}
  %y = graph.layer_norm %x axis -1 epsilon 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias has shape [4], but the dims from axis on have [8]}}
  %y = graph.layer_norm %x scale %s bias %b axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c3_no_scale(%x: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{has a bias but no scale; give a scale of ones}}
  %y = "graph.layer_norm"(%x, %b) <{axis = 1 : i64, epsilon = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2_scale(%x: tensor<4x8xf32>, %s: tensor<1x8xf32>) {
  // expected-error @+1 {{scale has shape [1, 8], but the dims from axis on have [8]}}
  %y = graph.rms_norm %x scale %s axis 1 epsilon 1.0e-5 : tensor<4x8xf32>, tensor<1x8xf32>
  return
}

// -----

func.func @batch_norm_c1_channels(%x: tensor<8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand must have channels as dim 1, but has rank 1}}
  %y = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c2_mean(%x: tensor<2x8xf32>, %c: tensor<8xf32>, %m: tensor<4xf32>) {
  // expected-error @+1 {{mean has shape [4], but must have [8], one per channel}}
  %y = graph.batch_norm %x, %c, %c, %m, %m epsilon 1.0e-5 : tensor<2x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @group_norm_c1_groups(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{dim 1 (8) must be a multiple of groups (3)}}
  %y = graph.group_norm %x, %c, %c groups 3 epsilon 1.0e-5 : tensor<2x8xf32>, tensor<8xf32>
  return
}
