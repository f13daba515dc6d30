// What a loop carries, sends and leaves outside. test/equivalence/sharding/passes.test executes all of this.
// RUN: shard-opt %s -sharding-propagate -sharding-insert-reshards -sharding-partition -canonicalize -cse -sharding-simplify | FileCheck %s

dist.mesh @m <["x"=2, "y"=2]>

// A sum over the trips is carried in parts and combined once, behind the loop.
// CHECK-LABEL: func @sum
// CHECK: graph.loop 3
// CHECK-NOT: dist.
// CHECK: graph.yield
// CHECK: dist.all_reduce sum %{{.*}} over <@m, {"{{x|y}}", "{{x|y}}"}> : tensor<5xf32>
// CHECK-NOT: dist.
// CHECK: return
func.func @sum(%a: tensor<3x8x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x", "y"}, {}]>}) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %zero = graph.constant dense<0.0> : tensor<5xf32>
  %r = graph.loop 3(%zero) : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<5xf32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<3x8x5xf32>, tensor<i64>
    %1 = graph.reduce sum %0 over [0] : tensor<8x5xf32>
    %2 = graph.binary add %s, %1 : tensor<5xf32>
    graph.yield %2 : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// So it is where the sum is wanted in blocks, of which the loop would have to carry other parts.
// CHECK-LABEL: func @scattered_sum
// CHECK: graph.loop 3
// CHECK-NOT: dist.
// CHECK: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: dist.reduce_scatter sum %{{.*}} dim 0 over <@m, {"x"}> : tensor<6xf32> -> tensor<3xf32>
// CHECK-NEXT: return
func.func @scattered_sum(%a: tensor<3x8x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}, {}]>}) -> (tensor<6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) {
  %zero = graph.constant dense<0.0> : tensor<6xf32>
  %r = graph.loop 3(%zero) : (tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<6xf32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<3x8x6xf32>, tensor<i64>
    %1 = graph.reduce sum %0 over [0] : tensor<8x6xf32>
    %2 = graph.binary sub %s, %1 : tensor<6xf32>
    graph.yield %2 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// Maxima begin with any constant: copies of it are parts of it. A loop in a loop hands its parts on.
// CHECK-LABEL: func @maximum
// CHECK: graph.loop 2
// CHECK-NOT: dist.
// CHECK: graph.loop 3
// CHECK-NOT: dist.
// CHECK: graph.yield
// CHECK-NOT: dist.
// CHECK: graph.yield
// CHECK: dist.all_reduce max %{{.*}} over <@m, {"x"}> : tensor<5xf32>
// CHECK-NOT: dist.
// CHECK: return
func.func @maximum(%a: tensor<2x3x8x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}, {}]>}) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %least = graph.constant dense<-0.5> : tensor<5xf32>
  %r = graph.loop 2(%least) : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<5xf32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<2x3x8x5xf32>, tensor<i64>
    %1 = graph.loop 3(%least) : (tensor<5xf32>) -> tensor<5xf32> {
    ^bb1(%j: tensor<i64>, %t: tensor<5xf32>):
      %2 = graph.gather %0, %j dim 0 batch 0 : tensor<3x8x5xf32>, tensor<i64>
      %3 = graph.reduce max %2 over [0] : tensor<8x5xf32>
      %4 = graph.binary max %3, %t : tensor<5xf32>
      graph.yield %4 : tensor<5xf32>
    }
    %5 = graph.binary max %s, %1 : tensor<5xf32>
    graph.yield %5 : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// A sum that does not begin with a part of itself, one that is seen on the way, and one that passes through another op
// are combined in each trip.
// CHECK-LABEL: func @combined_in_trips
// CHECK: graph.loop 3
// CHECK-COUNT-3: dist.all_reduce sum %{{.*}} over <@m, {"x"}> : tensor<5xf32>
// CHECK: graph.yield
// CHECK-NOT: dist.
// CHECK: return
func.func @combined_in_trips(%a: tensor<3x8x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}, {}]>}) -> (tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}, tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}, tensor<5xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %one = graph.constant dense<1.0> : tensor<5xf32>
  %zero = graph.constant dense<0.0> : tensor<5xf32>
  %r:3 = graph.loop 3(%one, %zero, %zero) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<5xf32>, %t: tensor<5xf32>, %u: tensor<5xf32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<3x8x5xf32>, tensor<i64>
    %1 = graph.reduce sum %0 over [0] : tensor<8x5xf32>
    %2 = graph.binary add %s, %1 : tensor<5xf32>
    %3 = graph.unary exp %0 : tensor<8x5xf32>
    %4 = graph.reduce sum %3 over [0] : tensor<8x5xf32>
    %5 = graph.binary add %t, %4 : tensor<5xf32>
    %6 = graph.broadcast %t to [1] : tensor<5xf32> -> tensor<8x5xf32>
    %7 = graph.binary mul %0, %6 : tensor<8x5xf32>
    %8 = graph.reduce sum %7 over [0] : tensor<8x5xf32>
    %9 = graph.unary tanh %u : tensor<5xf32>
    %10 = graph.binary add %9, %8 : tensor<5xf32>
    graph.yield %2, %5, %10 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// A weight that is the same in every trip is gathered once, in its narrow form; one that waits for what the trip before
// has carried is gathered in each.
// CHECK-LABEL: func @weights
// CHECK: %[[CAST:.*]] = graph.cast %arg1 : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[WHOLE:.*]] = dist.all_gather %[[CAST]] dim 0 over <@m, {"x"}> : tensor<4x8xbf16> -> tensor<8x8xbf16>
// CHECK-NOT: graph.broadcast
// CHECK: graph.loop 3
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[SUM:.*]]: tensor<f32>)
// CHECK-DAG: %[[FENCE:.*]] = dist.fence %arg1 after %[[SUM]]
// CHECK-DAG: dist.all_gather %[[FENCE]] dim 0 over <@m, {"x"}> : tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-DAG: graph.contract %{{.*}}, %[[WHOLE]]
// CHECK-DAG: graph.broadcast %arg2
// CHECK: dist.all_reduce sum %{{.*}} over <@m, {"x"}> : tensor<f32>
// CHECK: graph.yield
func.func @weights(%a: tensor<3x8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}, {}]>}, %w: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %b: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) -> (tensor<f32> {dist.sharding = #dist.sharding<@m, []>}) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.loop 3(%zero) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %s: tensor<f32>):
    %0 = graph.gather %a, %i dim 0 batch 0 : tensor<3x8x8xf32>, tensor<i64>
    %1 = graph.cast %0 : tensor<8x8xf32> -> tensor<8x8xbf16>
    %2 = graph.cast %w : tensor<8x8xf32> -> tensor<8x8xbf16>
    %3 = dist.barrier %2 allow none : tensor<8x8xbf16>
    %4 = dist.constraint %3 <@m, [{}, {}]> : tensor<8x8xbf16>
    %5 = graph.contract %1, %4 batch [] x [] over [1] x [0] : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
    %6 = graph.cast %5 : tensor<8x8xbf16> -> tensor<8x8xf32>
    %7 = graph.broadcast %b to [1] : tensor<8xf32> -> tensor<8x8xf32>
    %8 = graph.binary add %6, %7 : tensor<8x8xf32>
    %9 = dist.fence %w after %s : tensor<8x8xf32>, tensor<f32>
    %10 = dist.barrier %9 allow none : tensor<8x8xf32>
    %11 = dist.constraint %10 <@m, [{}, {}]> : tensor<8x8xf32>
    %12 = graph.contract %8, %11 batch [] x [] over [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %13 = graph.reduce sum %12 over [0, 1] : tensor<8x8xf32>
    %14 = graph.binary add %s, %13 : tensor<f32>
    graph.yield %14 : tensor<f32>
  }
  return %r : tensor<f32>
}
