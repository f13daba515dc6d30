// RUN: shard-opt %s --graph-raise --canonicalize | FileCheck %s

// Scores are scaled by both operands; heads come by a transpose; keys are transposed by another.
// CHECK-LABEL: func @scaled_operands
func.func @scaled_operands(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %m: tensor<2x1x1x3xf32>) -> tensor<2x4x3x16xf32> {
  // CHECK-DAG: %[[Q:.*]] = graph.transpose %arg0 by [0, 2, 1, 3]
  // CHECK-DAG: %[[K:.*]] = graph.transpose %arg1 by [0, 2, 1, 3]
  // CHECK: graph.attention %[[Q]], %[[K]], %{{[^ ]*}} mask %arg2 scale 2.500000e-01 :
  %root = graph.constant dense<0.5> : tensor<2x4x3x16xf32>
  %rootk = graph.constant dense<0.5> : tensor<2x4x16x3xf32>
  %q1 = graph.transpose %q by [0, 2, 1, 3] : tensor<2x3x4x16xf32>
  %k1 = graph.transpose %k by [0, 2, 1, 3] : tensor<2x3x4x16xf32>
  %q2 = graph.binary mul %q1, %root : tensor<2x4x3x16xf32>
  %k2 = graph.transpose %k1 by [0, 1, 3, 2] : tensor<2x4x3x16xf32>
  %k3 = graph.binary mul %k2, %rootk : tensor<2x4x16x3xf32>
  %s = graph.contract %q2, %k3 batch [0, 1] x [0, 1] over [3] x [2] : (tensor<2x4x3x16xf32>, tensor<2x4x16x3xf32>) -> tensor<2x4x3x3xf32>
  %m1 = graph.broadcast %m to [0, 1, 2, 3] : tensor<2x1x1x3xf32> -> tensor<2x4x3x3xf32>
  %z = graph.binary add %m1, %s : tensor<2x4x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<2x4x3x3xf32>
  %o = graph.contract %p, %k1 batch [0, 1] x [0, 1] over [3] x [2] : (tensor<2x4x3x3xf32>, tensor<2x4x3x16xf32>) -> tensor<2x4x3x16xf32>
  return %o : tensor<2x4x3x16xf32>
}

// A triangle of booleans with the lowest finite number is causal; so is its negation with the branches swapped.
// CHECK-LABEL: func @causal_select
func.func @causal_select(%q: tensor<1x2x2x4xf32>, %k: tensor<1x2x3x4xf32>) -> (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) {
  // CHECK: graph.attention %arg0, %arg1, %arg1 scale 5.000000e-01 causal
  // CHECK: graph.attention %arg0, %arg1, %arg1 scale 5.000000e-01 causal
  %two = graph.constant dense<2.0> : tensor<1x2x2x3xf32>
  %low = graph.constant dense<-3.40282347E+38> : tensor<1x2x2x3xf32>
  %triangle = graph.constant dense<[[[[true, true, false], [true, true, true]]]]> : tensor<1x1x2x3xi1>
  %s = graph.contract %q, %k batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x2x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x2x3xf32>
  %d = graph.binary div %s, %two : tensor<1x2x2x3xf32>
  %t = graph.broadcast %triangle to [0, 1, 2, 3] : tensor<1x1x2x3xi1> -> tensor<1x2x2x3xi1>
  %z = graph.select %t, %d, %low : tensor<1x2x2x3xi1>, tensor<1x2x2x3xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x2x3xf32>
  %o = graph.contract %p, %k batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x2x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x2x4xf32>
  %n = graph.unary not %t : tensor<1x2x2x3xi1>
  %z2 = graph.select %n, %low, %d : tensor<1x2x2x3xi1>, tensor<1x2x2x3xf32>
  %p2 = graph.softmax %z2 dim 3 : tensor<1x2x2x3xf32>
  %o2 = graph.contract %p2, %k batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x2x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x2x4xf32>
  return %o, %o2 : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
}

// A mask that folding has repeated for every head is causal in each.
// CHECK-LABEL: func @causal_constant
func.func @causal_constant(%q: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  // CHECK: graph.attention %arg0, %arg0, %arg0 scale 1.000000e+00 causal
  %m = graph.constant dense<[[[[0.0, -3.40282347E+38], [0.0, 0.0]], [[0.0, -3.40282347E+38], [0.0, 0.0]]]]> : tensor<1x2x2x2xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %z = graph.binary add %s, %m : tensor<1x2x2x2xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x2x2xf32>
  %o = graph.contract %p, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %o : tensor<1x2x2x4xf32>
}

// One head that sees more makes it another mask.
// CHECK-LABEL: func @not_causal_constant
func.func @not_causal_constant(%q: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  // CHECK: graph.attention {{.*}} mask %{{.*}} scale 1.000000e+00 :
  %m = graph.constant dense<[[[[0.0, -3.40282347E+38], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x2x2x2xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %z = graph.binary add %s, %m : tensor<1x2x2x2xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x2x2xf32>
  %o = graph.contract %p, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %o : tensor<1x2x2x4xf32>
}

// Positions compared, keys < queries + 1, with one shared range; the mask is added.
// CHECK-LABEL: func @causal_positions
func.func @causal_positions(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK: graph.attention %arg0, %arg0, %arg0 scale 1.000000e+00 causal
  %zero = graph.constant dense<0.0> : tensor<3x3xf32>
  %low = graph.constant dense<0xFF800000> : tensor<3x3xf32>
  %one = graph.constant dense<1> : tensor<3x1xi64>
  %range = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %column = graph.reshape %range : tensor<3xi64> -> tensor<3x1xi64>
  %next = graph.binary add %column, %one : tensor<3x1xi64>
  %i = graph.broadcast %next to [0, 1] : tensor<3x1xi64> -> tensor<3x3xi64>
  %j = graph.iota dim 1 : tensor<3x3xi64>
  %c = graph.compare lt %j, %i : tensor<3x3xi64>
  %m = graph.select %c, %zero, %low : tensor<3x3xi1>, tensor<3x3xf32>
  %m1 = graph.broadcast %m to [2, 3] : tensor<3x3xf32> -> tensor<1x2x3x3xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.binary add %s, %m1 : tensor<1x2x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x3x3xf32>
  %o = graph.contract %p, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// An unknown predicate becomes an addend.
// CHECK-LABEL: func @where_mask
func.func @where_mask(%q: tensor<2x2x3x4xf32>, %keep: tensor<2x3xi1>) -> tensor<2x2x3x4xf32> {
  // CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<2x1x1x3xf32>
  // CHECK-DAG: %[[LOW:.*]] = graph.constant dense<0xFF800000> : tensor<2x1x1x3xf32>
  // CHECK-DAG: %[[P:.*]] = graph.reshape %arg1
  // CHECK: %[[M:.*]] = graph.select %[[P]], %[[ZERO]], %[[LOW]]
  // CHECK: graph.attention %arg0, %arg0, %arg0 mask %[[M]] scale 1.000000e+00
  // INPUT keep = [[1, 0, 1], [0, 0, 1]]
  %low = graph.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %t = graph.broadcast %keep to [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x3xf32>
  %z = graph.select %t, %s, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<2x2x3x3xf32>
  %o = graph.contract %p, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %o : tensor<2x2x3x4xf32>
}

// Heads repeated for their group are read before they are repeated.
// CHECK-LABEL: func @grouped
func.func @grouped(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x3x8xf32>) -> tensor<1x4x3x8xf32> {
  // CHECK-NEXT: graph.attention %arg0, %arg1, %arg1 scale 1.000000e+00
  // CHECK-NEXT: return
  %k1 = graph.reshape %k : tensor<1x2x3x8xf32> -> tensor<1x2x1x3x8xf32>
  %k2 = graph.broadcast %k1 to [0, 1, 2, 3, 4] : tensor<1x2x1x3x8xf32> -> tensor<1x2x2x3x8xf32>
  %k3 = graph.reshape %k2 : tensor<1x2x2x3x8xf32> -> tensor<1x4x3x8xf32>
  %s = graph.contract %q, %k3 batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>) -> tensor<1x4x3x3xf32>
  %p = graph.softmax %s dim 3 : tensor<1x4x3x3xf32>
  %o = graph.contract %p, %k3 batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x4x3x3xf32>, tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// Batch and heads in one dim, split where the mask is added.
// CHECK-LABEL: func @merged_heads
func.func @merged_heads(%q: tensor<4x3x8xf32>, %m: tensor<2x1x1x3xf32>) -> tensor<4x3x8xf32> {
  // CHECK: %[[Q:.*]] = graph.reshape %arg0 : tensor<4x3x8xf32> -> tensor<2x2x3x8xf32>
  // CHECK: graph.attention %[[Q]], %{{[^ ]*}}, %{{[^ ]*}} mask %arg1
  %s = graph.contract %q, %q batch [0] x [0] over [2] x [2] : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x3xf32>
  %s1 = graph.reshape %s : tensor<4x3x3xf32> -> tensor<2x2x3x3xf32>
  %m1 = graph.broadcast %m to [0, 1, 2, 3] : tensor<2x1x1x3xf32> -> tensor<2x2x3x3xf32>
  %z = graph.binary add %s1, %m1 : tensor<2x2x3x3xf32>
  %z1 = graph.reshape %z : tensor<2x2x3x3xf32> -> tensor<4x3x3xf32>
  %p = graph.softmax %z1 dim 2 : tensor<4x3x3xf32>
  %o = graph.contract %p, %q batch [0] x [0] over [2] x [1] : (tensor<4x3x3xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
  return %o : tensor<4x3x8xf32>
}

// Not raised: a fill that scores could outweigh, weights that are used, a softmax over queries.
// CHECK-LABEL: func @refused
func.func @refused(%q: tensor<1x2x3x4xf32>, %keep: tensor<1x2x3x3xi1>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) {
  // CHECK-NOT: graph.attention
  %low = graph.constant dense<-1.0e4> : tensor<1x2x3x3xf32>
  %s = graph.contract %q, %q batch [0, 1] x [0, 1] over [3] x [3] : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.select %keep, %s, %low : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
  %p = graph.softmax %z dim 3 : tensor<1x2x3x3xf32>
  %o = graph.contract %p, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %p1 = graph.softmax %s dim 3 : tensor<1x2x3x3xf32>
  %o1 = graph.contract %p1, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %p2 = graph.softmax %s dim 2 : tensor<1x2x3x3xf32>
  %o2 = graph.contract %p2, %q batch [0, 1] x [0, 1] over [3] x [2] : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o, %o1, %p1, %o2 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>
}

// Softmax as before opset 13, on flattened rows.
// CHECK-LABEL: func @flattened_rows
func.func @flattened_rows(%q: tensor<4x3x8xf32>) -> tensor<4x3x8xf32> {
  // CHECK: graph.attention
  // CHECK-NOT: graph.softmax
  %s = graph.contract %q, %q batch [0] x [0] over [2] x [2] : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x3xf32>
  %f = graph.reshape %s : tensor<4x3x3xf32> -> tensor<12x3xf32>
  %p = graph.softmax %f dim 1 : tensor<12x3xf32>
  %p1 = graph.reshape %p : tensor<12x3xf32> -> tensor<4x3x3xf32>
  %o = graph.contract %p1, %q batch [0] x [0] over [2] x [1] : (tensor<4x3x3xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
  return %o : tensor<4x3x8xf32>
}
