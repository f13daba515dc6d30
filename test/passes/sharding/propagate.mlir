// How axes pass between tensors.
// RUN: shard-opt %s -split-input-file -sharding-propagate | FileCheck %s

// Through an element-wise op to its other operand, through a product to its other operand and its result.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @add_and_product
// CHECK-SAME: %arg1: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {"b", ?}]>}
// CHECK-SAME: %arg2: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"b", ?}, {?}]>}
// CHECK-SAME: -> (tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>})
func.func @add_and_product(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {"b"}]>},
    %y: tensor<8x8xf32>, %w: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  %1 = graph.contract %0, %w batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

// A reduced dim takes its axes along; the others pass.
dist.mesh @m <["b"=2]>
// CHECK-LABEL: func @reduction
// CHECK-SAME: -> (tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"b", ?}]>})
func.func @reduction(%x: tensor<4x64x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"b"}]>}) -> tensor<4x8xf32> {
  %0 = graph.reduce sum %x over [1] : tensor<4x64x8xf32>
  return %0 : tensor<4x8xf32>
}
// CHECK-LABEL: func @reduction_backward
// CHECK-SAME: %arg0: tensor<4x64x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}, {"b", ?}]>}
func.func @reduction_backward(%x: tensor<4x64x8xf32>) -> (tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"b"}]>}) {
  %0 = graph.reduce sum %x over [1] : tensor<4x64x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A closed dim never changes.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @closed
// CHECK: graph.contract
// CHECK-SAME: dist.shardings = [#dist.sharding<@m, [{}, {"b", ?}]>]
func.func @closed(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {}]>},
    %w: tensor<8x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"b"}]>}) -> tensor<8x16xf32> {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] {dist.shardings = [#dist.sharding<@m, [{}, {?}]>]} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// A constraint passes back to its operand and on to users.
dist.mesh @m <["a"=2]>
// CHECK-LABEL: func @constraint
// CHECK-SAME: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>}
// CHECK: graph.unary neg {{.*}}dist.shardings = [#dist.sharding<@m, [{"a", ?}, {?}]>]
func.func @constraint(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = dist.constraint %x <@m, [{"a", ?}, {?}]> : tensor<8x8xf32>
  %1 = graph.unary neg %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// A barrier that lets only backward through.
dist.mesh @m <["a"=2, "b"=2, "c"=2]>
// CHECK-LABEL: func @barrier
// CHECK-SAME: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b", ?}, {"c", ?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b", ?}, {?}]>})
func.func @barrier(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {"c", ?}]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b", ?}, {?}]>}) {
  %0 = dist.barrier %x allow backward : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Operands that differ give what they begin with, or nothing.
dist.mesh @m <["a"=2, "b"=2, "c"=2]>
// CHECK-LABEL: func @common_prefix
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", ?}, {?}]>})
func.func @common_prefix(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", "a"}, {}]>},
    %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", "c"}, {}]>}) -> tensor<8x8xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func @nothing_in_common
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}]>})
func.func @nothing_in_common(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", "a"}, {}]>},
    %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Axes named as replicated, and those that cut another dim, stop a factor while all must agree. What is free goes to
// those who can take it, last: a sharding where nothing changes is right as well, and holds more on every rank.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @replicated
// CHECK-SAME: %arg1: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"b", ?}], replicated = {"a"}>}
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {"b", ?}]>})
func.func @replicated(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b"}, {}]>},
    %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}], replicated = {"a"}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"b", ?}]>}) {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Rolling a dim: extents that the axes do not divide don't stop them.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @roll
// CHECK-COUNT-3: dist.shardings = [#dist.sharding<@m, [{"a", "b", ?}, {?}]>]
func.func @roll(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = graph.slice %x from [0, 0] to [1, 8] by [1, 1] : tensor<8x8xf32>
  %1 = graph.slice %x from [1, 0] to [8, 8] by [1, 1] : tensor<8x8xf32>
  %2 = graph.concat %1, %0 dim 0 : tensor<7x8xf32>, tensor<1x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Reshapes join, split and cut through axes.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @join
// CHECK-SAME: -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b", ?}]>})
func.func @join(%x: tensor<2x4xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<8xf32> {
  %0 = graph.reshape %x : tensor<2x4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func @split
// CHECK-SAME: -> (tensor<2x4xf32> {dist.sharding = #dist.sharding<@m, [{"b", ?}, {"a", ?}]>})
func.func @split(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"b", "a"}]>}) -> tensor<2x4xf32> {
  %0 = graph.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func @split_major_takes_all
// CHECK-SAME: -> (tensor<4x4xf32> {dist.sharding = #dist.sharding<@m, [{"b", "a", ?}, {?}]>})
func.func @split_major_takes_all(%x: tensor<16xf32> {dist.sharding = #dist.sharding<@m, [{"b", "a"}]>}) -> tensor<4x4xf32> {
  %0 = graph.reshape %x : tensor<16xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

dist.mesh @m <["a"=4]>
// CHECK-LABEL: func @cut_through_axis
// CHECK-SAME: -> (tensor<2x4xf32> {dist.sharding = #dist.sharding<@m, [{"a":(1)2, ?}, {"a":(2)2, ?}]>})
func.func @cut_through_axis(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}]>}) -> tensor<2x4xf32> {
  %0 = graph.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

dist.mesh @m <["a"=4, "b"=2, "c"=2]>
// CHECK-LABEL: func @regroup
// CHECK-SAME: -> (tensor<2x16xf32> {dist.sharding = #dist.sharding<@m, [{"c", ?}, {"a", "b", ?}]>})
func.func @regroup(%x: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"c", "a"}, {"b"}]>}) -> tensor<2x16xf32> {
  %0 = graph.reshape %x : tensor<8x4xf32> -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// -----

dist.mesh @m <["a"=3, "b"=3]>
// CHECK-LABEL: func @joined_dim_needs_divisors
// CHECK-SAME: -> (tensor<24xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}]>})
func.func @joined_dim_needs_divisors(%x: tensor<6x4xf32> {dist.sharding = #dist.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<24xf32> {
  %0 = graph.reshape %x : tensor<6x4xf32> -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// Element-wise ops go before products.
dist.mesh @m <["a"=2]>
// CHECK-LABEL: func @op_priority
// CHECK-SAME: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>}
// CHECK-SAME: %arg1: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"a", ?}]>}
// CHECK: graph.contract
// CHECK-SAME: dist.shardings = [#dist.sharding<@m, [{?}, {"a", ?}]>]
func.func @op_priority(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>}, %w: tensor<8x8xf32>) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"a"}]>}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.binary add %0, %0 : tensor<8x8xf32>
  %2 = graph.binary add %1, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Two users that agree.
dist.mesh @m <["a"=2]>
// CHECK-LABEL: func @two_users
// CHECK-COUNT-2: graph.binary add {{.*}}dist.shardings = [#dist.sharding<@m, [{?}, {"a", ?}]>]
func.func @two_users(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"a"}]>}, tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"a"}]>}) {
  %0 = graph.unary sin %x : tensor<8x8xf32>
  %1 = graph.binary add %0, %0 : tensor<8x8xf32>
  %2 = graph.binary add %0, %y : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// What nobody agrees on is decided last: an axis that two factors want goes to one, axes that one factor can't have
// both go nowhere.
dist.mesh @m <["a"=2, "b"=2]>
// CHECK-LABEL: func @axis_wanted_twice
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>})
func.func @axis_wanted_twice(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"a"}]>}) -> tensor<8x8xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func @two_axes_for_one_dim
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}]>})
func.func @two_axes_for_one_dim(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {}]>}, %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", ?}, {}]>}) -> tensor<8x8xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func @only_the_free_dim
// CHECK-SAME: -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"a", ?}]>})
func.func @only_the_free_dim(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"b", ?}, {"a", ?}]>}) -> tensor<8x8xf32> {
  %0 = graph.binary add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Priorities of the user: a lower number first, and a dim stays as given.
dist.mesh @m <["a"=2, "b"=2, "c"=2]>
// CHECK-LABEL: func @user_priority
// CHECK-SAME: %arg0: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {"b"}p4]>}
// CHECK: graph.unary neg {{.*}}dist.shardings = [#dist.sharding<@m, [{"a", ?}, {"c", ?}]>]
func.func @user_priority(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {"b"}p4]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"c", ?}p1]>}) {
  %0 = graph.unary neg %x : tensor<8x8xf32>
  %1 = graph.unary abs %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-LABEL: func @later_priority
// CHECK: graph.unary neg {{.*}}dist.shardings = [#dist.sharding<@m, [{"c", ?}, {"b", ?}]>]
func.func @later_priority(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}p1, {"b"}p1]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"c"}, {?}]>}) {
  %0 = graph.unary neg %x : tensor<8x8xf32>
  %1 = graph.unary abs %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Blocked factors pass nothing.
dist.mesh @m <["a"=2, "b"=2, "c"=2]>
// CHECK-LABEL: func @blocked
// CHECK-SAME: -> (tensor<8x8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"b", ?}, {?}]>})
func.func @blocked(%x: tensor<8x8x8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}, {"b"}, {"c"}]>}) -> tensor<8x8x8xf32> {
  %0 = graph.unary neg %x {dist.blocked = "ac"} : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}

// -----

// The same mesh under two names is one.
dist.mesh @m <["a"=2]>
dist.mesh @same <["a"=2]>
// CHECK-LABEL: func @mesh_of_two_names
// CHECK-SAME: -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}]>})
// CHECK-NOT: <@same
func.func @mesh_of_two_names(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}]>}, %y: tensor<8xf32> {dist.sharding = #dist.sharding<@same, [{"a"}]>}) -> tensor<8xf32> {
  %0 = graph.binary add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A carried value is one tensor through all trips.
dist.mesh @m <["a"=2]>
// CHECK-LABEL: func @loop
// CHECK-SAME: -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a", ?}]>})
// CHECK: graph.binary add {{.*}}dist.shardings = [#dist.sharding<@m, [{"a", ?}]>]
func.func @loop(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"a"}]>}) -> tensor<8xf32> {
  %r = graph.loop 4(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<8xf32>):
    %b = graph.binary add %a, %a : tensor<8xf32>
    graph.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
