// Where operations compute, and the collectives that this takes. test/equivalence/sharding.test executes all of this.
// RUN: shard-opt %s -split-input-file -sharding-propagate -sharding-insert-reshards -sharding-partition -canonicalize -cse | FileCheck %s

dist.mesh @m <["x"=4, "y"=2]>

// A contracted dim on y: each rank has a part of the sum.
// CHECK-LABEL: func @contraction
// CHECK: graph.contract {{.*}} : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
// CHECK-NEXT: dist.all_reduce sum %{{.*}} over <@m, {"y"}> : tensor<2x16xf32>
// CHECK-NEXT: return
func.func @contraction(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) {
  %0 = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Asked for in parts, the sum is scattered.
// CHECK-LABEL: func @contraction_scattered
// CHECK: graph.contract
// CHECK-NEXT: dist.reduce_scatter sum %{{.*}} dim 1 over <@m, {"y"}> : tensor<2x16xf32> -> tensor<2x8xf32>
// CHECK-NEXT: return
func.func @contraction_scattered(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Only results that lack what is cut have parts of sums: the gradients of keys and values are of all queries.
// CHECK-LABEL: func @attention_grad
// CHECK: %[[Q:.*]], %[[K:.*]], %[[V:.*]] = graph.attention_grad {{.*}} : tensor<1x2x32x8xf32>, tensor<1x2x2x8xf32>
// CHECK-NEXT: %[[KS:.*]] = dist.all_reduce sum %[[K]] over <@m, {"y"}>
// CHECK-NEXT: %[[VS:.*]] = dist.all_reduce sum %[[V]] over <@m, {"y"}>
// CHECK-NEXT: return %[[Q]], %[[KS]], %[[VS]]
func.func @attention_grad(%q: tensor<1x2x64x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"y"}, {}]>}, %k: tensor<1x2x2x8xf32>) -> (tensor<1x2x64x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"y"}, {}]>}, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) {
  %0:3 = graph.attention_grad %q, %k, %k, %q scale 0.5 : tensor<1x2x64x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x64x8xf32>
  return %0#0, %0#1, %0#2 : tensor<1x2x64x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
}

// The axis that both the contracted and a free dim want.
// CHECK-LABEL: func @contracted_and_free
// CHECK-NEXT: dist.all_gather %arg0 dim 1 over <@m, {"y"}> : tensor<2x4xf32> -> tensor<2x8xf32>
// CHECK-NEXT: graph.contract {{.*}} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: return
func.func @contracted_and_free(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"}]>}) -> (tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func @clashing_everywhere
// CHECK: graph.contract
// CHECK: return
func.func @clashing_everywhere(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %0 = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Element-wise work happens where there are more parts.
// CHECK-LABEL: func @compute_then_move
// CHECK: graph.unary neg %arg0 : tensor<2x8xf32>
func.func @compute_then_move(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) {
  %0 = graph.unary neg %a {dist.shardings = [#dist.sharding<@m, [{"y"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func @move_then_compute
// CHECK: graph.unary neg %{{.*}} : tensor<2x8xf32>
// CHECK-NEXT: return
func.func @move_then_compute(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) {
  %0 = graph.unary neg %a {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A joined dim stays cut (case 27, which cuts another dim meanwhile): each rank sends 16 rows of one operand, of 32 kB; the
// operands and the result of the case's way take 82 kB.
// CHECK-LABEL: func @concat
// CHECK-NOT: dist.all_to_all
// CHECK: dist.window %arg0, %{{.*}} dim 1 of 32 places 80 scale 1 divisor 1 first 0 last 0 over <@m, {"y"}> : tensor<2x16x256xf32>, tensor<f32> -> tensor<2x40x256xf32>
// CHECK: dist.window %{{.*}} dim 1 of 48 places 80 scale 1 divisor 1 first -32 last -32 over <@m, {"y"}> : tensor<2x24x256xf32>, tensor<f32> -> tensor<2x40x256xf32>
// CHECK-NOT: dist.all_to_all
// CHECK: graph.select
// CHECK-NEXT: return
func.func @concat(%a: tensor<8x32x256xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>}, %b: tensor<8x48x256xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"}, {}]>}) -> (tensor<8x80x256xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>}) {
  %0 = graph.concat %a, %b dim 1 : tensor<8x32x256xf32>, tensor<8x48x256xf32>
  return %0 : tensor<8x80x256xf32>
}

// One reduction over two cut dims is one collective.
// CHECK-LABEL: func @reduce_two_dims
// CHECK: graph.reduce sum
// CHECK-NEXT: dist.all_reduce sum %{{.*}} over <@m, {"{{x|y}}", "{{x|y}}"}> : tensor<13xf32>
// CHECK-NEXT: return
func.func @reduce_two_dims(%a: tensor<2x64x13xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}, {}]>}) -> (tensor<13xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0, 1] : tensor<2x64x13xf32>
  return %0 : tensor<13xf32>
}

// Both operands are still to be summed: their product can wait for one of them only.
// CHECK-LABEL: func @product_of_sums
// CHECK: dist.all_reduce sum
// CHECK: graph.binary mul
// CHECK-NEXT: dist.all_reduce sum
// CHECK-NEXT: return
func.func @product_of_sums(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.reduce sum %b over [0] : tensor<8x5xf32>
  %2 = graph.binary mul %0, %1 : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// A sum of both waits, and needs one.
// CHECK-LABEL: func @sum_of_sums
func.func @sum_of_sums(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.reduce sum %b over [0] : tensor<8x5xf32>
  %2 = graph.binary add %0, %1 : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// Sums wait through what is linear in them: the terms of a weighted sum are combined as one.
// CHECK-LABEL: func @weighted_sum
// CHECK-COUNT-1: dist.all_reduce sum
// CHECK-NOT: dist.
// CHECK: return
func.func @weighted_sum(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %v: tensor<5xf32>, %w: tensor<5xf32>) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.reduce sum %b over [0] : tensor<8x5xf32>
  %2 = graph.binary mul %v, %0 : tensor<5xf32>
  %3 = graph.unary neg %1 : tensor<5xf32>
  %4 = graph.binary mul %3, %w : tensor<5xf32>
  %5 = graph.binary add %2, %4 : tensor<5xf32>
  return %5 : tensor<5xf32>
}

// A sum is chosen from zeros as its parts are; another whole value can't be added to them.
// CHECK-LABEL: func @sum_among_zeros
// CHECK: graph.select
// CHECK-NEXT: dist.all_reduce sum
// CHECK-NEXT: return
func.func @sum_among_zeros(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %p: tensor<5xi1>) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %zeros = graph.constant dense<0.0> : tensor<5xf32>
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.select %p, %0, %zeros : tensor<5xi1>, tensor<5xf32>
  return %1 : tensor<5xf32>
}
// CHECK-LABEL: func @sum_among_others
// CHECK: dist.all_reduce sum {{.*}} : tensor<5xf32>
// CHECK-NEXT: graph.binary add
func.func @sum_among_others(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<5xf32>) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.binary add %0, %b : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// A maximum with anything is one.
// CHECK-LABEL: func @maximum_among_others
// CHECK: graph.binary max
// CHECK-NEXT: dist.all_reduce max
func.func @maximum_among_others(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<5xf32>) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce max %a over [0] : tensor<8x5xf32>
  %1 = graph.binary max %0, %b : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// What makes the value larger comes after the reduction, what makes it smaller before.
// CHECK-LABEL: func @repeated_sum
// CHECK: dist.all_reduce sum {{.*}} : tensor<5xf32>
// CHECK: graph.broadcast
func.func @repeated_sum(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<9x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.broadcast %0 to [1] : tensor<5xf32> -> tensor<9x5xf32>
  return %1 : tensor<9x5xf32>
}
// CHECK-LABEL: func @part_of_sum
// CHECK: graph.slice
// CHECK: dist.all_reduce sum {{.*}} : tensor<2xf32>
func.func @part_of_sum(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<2xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.slice %0 from [1] to [3] by [1] : tensor<5xf32>
  return %1 : tensor<2xf32>
}

// Dividing by what may be zero, or absolute values, can't wait.
// CHECK-LABEL: func @divided_sum
// CHECK: dist.all_reduce sum
// CHECK-NEXT: graph.binary div
func.func @divided_sum(%a: tensor<8x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<5xf32>) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = graph.reduce sum %a over [0] : tensor<8x5xf32>
  %1 = graph.binary div %0, %b : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// A table cut by words: each rank looks up those it has, the sum puts them together. The table stays where it is.
// CHECK-LABEL: func @embedding
// CHECK-NOT: dist.all_gather
// CHECK: graph.gather {{.*}} : tensor<17x6xf32>
// CHECK: dist.all_reduce sum
// CHECK: return
func.func @embedding(%table: tensor<65x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %ids: tensor<2x5xi64>) -> tensor<2x5x6xf32> {
  // INPUT ids = np.arange(10).reshape(2, 5) * 7 % 65
  %0 = graph.gather %table, %ids dim 0 batch 0 : tensor<65x6xf32>, tensor<2x5xi64>
  return %0 : tensor<2x5x6xf32>
}

// CHECK-LABEL: func @uneven_contraction
// CHECK: graph.select
// CHECK: graph.contract {{.*}} : (tensor<3x2xf32>, tensor<2x5xf32>)
func.func @uneven_contraction(%a: tensor<3x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"}]>}, %b: tensor<3x5xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> (tensor<3x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %0 = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Ranks may hold nothing.
// CHECK-LABEL: func @empty_parts
// CHECK-SAME: %arg0: tensor<1x2xf32>
func.func @empty_parts(%a: tensor<2x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) {
  %0 = graph.reduce max %a over [0] : tensor<2x3xf32>
  return %0 : tensor<3xf32>
}

// A convolution cut by batch, and by the channels it sums over.
// CHECK-LABEL: func @conv
// CHECK-NOT: dist.all_gather
// CHECK: graph.conv {{.*}} tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
// CHECK: dist.all_reduce sum
// CHECK: return
func.func @conv(%x: tensor<8x6x8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>}, %f: tensor<4x6x3x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"}, {}, {}]>}) -> tensor<8x4x8x8xf32> {
  %0 = graph.conv %x, %f strides [1, 1] pad [1, 1] to [1, 1] dilations [1, 1] groups 1 : tensor<8x6x8x8xf32>, tensor<4x6x3x3xf32>
  return %0 : tensor<8x4x8x8xf32>
}

// Groups of channels go to different ranks; the batch is never gathered.
// CHECK-LABEL: func @grouped_conv
// CHECK-NOT: dist.all_gather
// CHECK: graph.conv {{.*}} groups 3 : tensor<2x3x8x8xf32>, tensor<3x1x3x3xf32>
// CHECK-NEXT: return
func.func @grouped_conv(%x: tensor<8x6x8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>}, %f: tensor<6x1x3x3xf32>) -> tensor<8x6x8x8xf32> {
  %0 = graph.conv %x, %f strides [1, 1] pad [1, 1] to [1, 1] dilations [1, 1] groups 6 : tensor<8x6x8x8xf32>, tensor<6x1x3x3xf32>
  return %0 : tensor<8x6x8x8xf32>
}

// The gradient of a table: each rank adds what is its own.
// CHECK-LABEL: func @scatter_add
// CHECK: graph.scatter_elements add
func.func @scatter_add(%table: tensor<13x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %ids: tensor<7x6xi64> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}, %u: tensor<7x6xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> tensor<13x6xf32> {
  // INPUT ids = np.arange(42).reshape(7, 6) % 13
  %0 = graph.scatter_elements add %table, %ids, %u dim 0 : tensor<13x6xf32>, tensor<7x6xi64>, tensor<7x6xf32>
  return %0 : tensor<13x6xf32>
}

// Zeros that updates are added to are the same for all ranks: none of them stands back.
// CHECK-LABEL: func @scatter_add_to_zeros
// CHECK: %[[ZEROS:.*]] = graph.constant dense<0.000000e+00> : tensor<13x6xf32>
// CHECK: graph.scatter_nd add %[[ZEROS]]
// CHECK-NEXT: dist.all_reduce sum
func.func @scatter_add_to_zeros(%ids: tensor<400x1xi64> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %u: tensor<400x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<13x6xf32> {
  // INPUT ids = np.arange(400).reshape(400, 1) % 5
  %zeros = graph.constant dense<0.0> : tensor<13x6xf32>
  %0 = graph.scatter_nd add %zeros, %ids, %u : tensor<13x6xf32>, tensor<400x1xi64>, tensor<400x6xf32>
  return %0 : tensor<13x6xf32>
}

// -----

// Blocks stay where they are when the ranks are counted in another order.
dist.mesh @r <["x"=4], devices = [3, 1, 2, 0]>
// CHECK-LABEL: func @device_order
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @device_order(%a: tensor<8xf32> {dist.sharding = #dist.sharding<@r, [{"x"}]>}) -> tensor<2x4xf32> {
  %0 = graph.reshape %a : tensor<8xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func @reverse_uneven
func.func @reverse_uneven(%a: tensor<7x3xf32> {dist.sharding = #dist.sharding<@r, [{"x"}, {}]>}) -> (tensor<7x3xf32> {dist.sharding = #dist.sharding<@r, [{"x"}, {}]>}) {
  %0 = graph.reverse %a dims [0] : tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}
