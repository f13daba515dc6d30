// Which collectives become one, and where.
// RUN: shard-opt %s --overlap-group-collectives | FileCheck %s
// RUN: shard-opt %s --overlap-group-collectives=bytes=32 | FileCheck %s --check-prefix=BYTES
// RUN: shard-opt %s --overlap-group-collectives=remarks 2>&1 | FileCheck %s --check-prefix=REMARKS

dist.mesh @m <["data"=2]>

// What is stored is gathered where the first of its group is used, with what leads to it; the second pass over the
// parameters by another collective, which moves what was fenced to its own place.
// REMARKS: remark: joins 2 dist.all_gather of 32 B, from parameter "w" to "b"
// CHECK-LABEL: func @gathers
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[O:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[CAST:.*]] = graph.cast %[[B]]
// CHECK-NEXT: %[[BF:.*]]:2 = dist.all_gather %{{.*}}, %[[CAST]] dim 0, 0 over <@m, {"data"}> {dist.parameters = ["w", "b"]} : tensor<2x2xbf16>, tensor<4xbf16> -> tensor<4x2xbf16>, tensor<8xbf16>
// CHECK: graph.unary neg %[[BF]]#0
// CHECK: dist.all_gather %{{.*}} dim 0 over <@m, {"data"}> {dist.parameters = ["o"]}
// CHECK: %[[LATE:.*]] = graph.unary exp %[[BF]]#1
// CHECK: %[[FENCE:.*]] = dist.fence %{{.*}} after %[[LATE]]
// CHECK: %[[FENCE2:.*]] = dist.fence %{{.*}} after %[[LATE]]
// CHECK: %[[AGAIN:.*]]:2 = dist.all_gather %[[FENCE]], %[[FENCE2]] dim 0, 0
// CHECK: return {{.*}}%[[AGAIN]]#0, %[[AGAIN]]#1

// With bytes it does not count what they belong to: no more than 32 bytes of bf16.
// BYTES-LABEL: func @gathers
// BYTES: dist.all_gather {{.*}} dim 0, 0 over <@m, {"data"}> {dist.parameters = ["w", "o"]}
// BYTES: dist.all_gather {{.*}} {dist.parameters = ["b"]}
func.func @gathers(
    %w: tensor<2x2xf32> {graph.parameter = "w", dist.group = 1 : i64}, %b: tensor<4xf32> {graph.parameter = "b", dist.group = 1 : i64},
    %o: tensor<4xf32> {graph.parameter = "o", dist.group = 2 : i64})
    -> (tensor<4x2xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<4x2xbf16>, tensor<8xbf16>) {
  %w16 = graph.cast %w : tensor<2x2xf32> -> tensor<2x2xbf16>
  %0 = dist.all_gather %w16 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<2x2xbf16> -> tensor<4x2xbf16>
  %1 = graph.unary neg %0 : tensor<4x2xbf16>
  %o16 = graph.cast %o : tensor<4xf32> -> tensor<4xbf16>
  %2 = dist.all_gather %o16 dim 0 over <@m, {"data"}> {dist.parameters = ["o"]} : tensor<4xbf16> -> tensor<8xbf16>
  %b16 = graph.cast %b : tensor<4xf32> -> tensor<4xbf16>
  %3 = dist.all_gather %b16 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<4xbf16> -> tensor<8xbf16>
  %4 = graph.unary exp %3 : tensor<8xbf16>
  %w2 = dist.fence %w16 after %4 : tensor<2x2xbf16>, tensor<8xbf16>
  %5 = dist.all_gather %w2 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<2x2xbf16> -> tensor<4x2xbf16>
  %6 = graph.unary neg %4 : tensor<8xbf16>
  %b2 = dist.fence %b16 after %6 : tensor<4xbf16>, tensor<8xbf16>
  %7 = dist.all_gather %b2 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<4xbf16> -> tensor<8xbf16>
  return %1, %2, %6, %5, %7 : tensor<4x2xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<4x2xbf16>, tensor<8xbf16>
}

// Each pass over the parameters has a gather of its own, also where the passes before had others of the group: what is
// gathered again for the backward pass has nothing to do with the next micro-batch.
// CHECK-LABEL: func @passes
// CHECK: dist.all_gather %arg0, %arg1 {{.*}} {dist.parameters = ["w", "b"]}
// CHECK: dist.all_gather %{{.*}} {dist.gathered_again, dist.parameters = ["w"]}
// CHECK: %[[LOSS:.*]] = graph.unary abs
// CHECK: %[[B:.*]] = dist.fence %arg1 after %[[LOSS]]
// CHECK: %[[W:.*]] = dist.fence %arg0 after %[[LOSS]]
// CHECK: dist.all_gather %[[B]], %[[W]] {{.*}} {dist.parameters = ["b", "w"]}
func.func @passes(
    %w: tensor<2xf32> {graph.parameter = "w", dist.group = 1 : i64}, %b: tensor<2xf32> {graph.parameter = "b", dist.group = 1 : i64})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = dist.all_gather %w dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<2xf32> -> tensor<4xf32>
  %1 = dist.all_gather %b dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<2xf32> -> tensor<4xf32>
  %2 = graph.binary add %0, %1 : tensor<4xf32>
  %w2 = dist.fence %w after %2 : tensor<2xf32>, tensor<4xf32>
  %3 = dist.all_gather %w2 dim 0 over <@m, {"data"}> {dist.gathered_again, dist.parameters = ["w"]} : tensor<2xf32> -> tensor<4xf32>
  %4 = graph.unary abs %3 : tensor<4xf32>
  %b3 = dist.fence %b after %4 : tensor<2xf32>, tensor<4xf32>
  %5 = dist.all_gather %b3 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<2xf32> -> tensor<4xf32>
  %w3 = dist.fence %w after %4 : tensor<2xf32>, tensor<4xf32>
  %6 = dist.all_gather %w3 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<2xf32> -> tensor<4xf32>
  return %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Reductions go where the last of their group is ready. One that is ready behind the first use of another is apart,
// and so are other kinds and element types.
// CHECK-LABEL: func @reductions
// CHECK: graph.unary neg
// CHECK-NEXT: %[[LAST:.*]] = graph.unary exp
// CHECK-NEXT: %[[SUM:.*]]:2 = dist.reduce_scatter sum %{{.*}}, %[[LAST]] dim 0, 0 over <@m, {"data"}> {dist.parameters = ["w", "b"]}
// CHECK-DAG: dist.all_reduce sum %{{.*}} {dist.parameters = ["d"]}
// CHECK-DAG: dist.reduce_scatter max %{{.*}} {dist.parameters = ["d"]}
// CHECK: graph.unary log %[[SUM]]#0
// CHECK-NEXT: graph.concat
// CHECK-NEXT: dist.reduce_scatter sum %{{.*}} {dist.parameters = ["c"]}
// BYTES-LABEL: func @reductions
// BYTES: dist.reduce_scatter sum {{.*}} {dist.parameters = ["w", "b"]}
func.func @reductions(
    %w: tensor<2xf32> {graph.parameter = "w", dist.group = 1 : i64}, %b: tensor<2xf32> {graph.parameter = "b", dist.group = 1 : i64},
    %c: tensor<2xf32> {graph.parameter = "c", dist.group = 1 : i64}, %d: tensor<2xf32> {graph.parameter = "d", dist.group = 1 : i64},
    %x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = graph.unary neg %x : tensor<4xf32>
  %1 = graph.unary exp %0 : tensor<4xf32>
  %2 = graph.unary abs %1 : tensor<4xf32>
  %3 = dist.reduce_scatter sum %0 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<4xf32> -> tensor<2xf32>
  %4 = dist.reduce_scatter sum %1 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<4xf32> -> tensor<2xf32>
  %5 = graph.unary log %3 : tensor<2xf32>
  %6 = graph.concat %5, %5 dim 0 : tensor<2xf32>, tensor<2xf32>
  %7 = dist.reduce_scatter sum %6 dim 0 over <@m, {"data"}> {dist.parameters = ["c"]} : tensor<4xf32> -> tensor<2xf32>
  %8 = dist.all_reduce sum %2 over <@m, {"data"}> {dist.parameters = ["d"]} : tensor<4xf32>
  %9 = dist.reduce_scatter max %2 dim 0 over <@m, {"data"}> {dist.parameters = ["d"]} : tensor<4xf32> -> tensor<2xf32>
  return %4, %5, %7, %8, %9 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>
}

// What depends on a collective is joined after it: here two gathers of what two reductions gave.
// CHECK-LABEL: func @levels
// CHECK: %[[PARTS:.*]]:2 = dist.reduce_scatter sum
// CHECK: %[[V:.*]] = graph.binary sub %{{.*}}, %[[PARTS]]#0
// CHECK: %[[U:.*]] = graph.binary sub %{{.*}}, %[[PARTS]]#1
// CHECK-NEXT: %[[NEW:.*]]:2 = dist.all_gather %[[V]], %[[U]]
// CHECK: return %[[NEW]]#0, %[[NEW]]#1
func.func @levels(
    %w: tensor<4xf32> {graph.parameter = "w", dist.group = 0 : i64}, %b: tensor<4xf32> {graph.parameter = "b", dist.group = 0 : i64},
    %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = dist.reduce_scatter sum %x dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<4xf32> -> tensor<2xf32>
  %1 = dist.reduce_scatter sum %x dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<4xf32> -> tensor<2xf32>
  %2 = dist.slice %w dim 0 over <@m, {"data"}> : tensor<4xf32> -> tensor<2xf32>
  %3 = graph.binary sub %2, %0 : tensor<2xf32>
  %4 = dist.all_gather %3 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<2xf32> -> tensor<4xf32>
  %5 = dist.slice %b dim 0 over <@m, {"data"}> : tensor<4xf32> -> tensor<2xf32>
  %6 = graph.binary sub %5, %1 : tensor<2xf32>
  %7 = dist.all_gather %6 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<2xf32> -> tensor<4xf32>
  return %4, %7 : tensor<4xf32>, tensor<4xf32>
}

// What names no parameter, and parameters without a group, stay as they are.
// CHECK-LABEL: func @others
// CHECK-COUNT-4: dist.all_reduce {{sum|max}} %{{[a-z0-9]+}} over
func.func @others(%w: tensor<4xf32> {graph.parameter = "w"}, %x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = dist.all_reduce sum %x over <@m, {"data"}> : tensor<4xf32>
  %1 = dist.all_reduce sum %w over <@m, {"data"}> : tensor<4xf32>
  %2 = dist.all_reduce max %x over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<4xf32>
  %3 = dist.all_reduce sum %w over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The body of a loop is treated as a function is: what is stored is gathered in each trip, where the first of its group
// is used. What is before, in and behind the loop stays there.
// REMARKS: remark: joins 2 dist.all_gather of 32 B, from parameter "w" to "b" in each of 3 trips
// CHECK-LABEL: func @loop
// CHECK: %[[CAST:.*]] = graph.cast %arg1
// CHECK-NEXT: %[[LOOP:.*]]:2 = graph.loop 3
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[SEEN:.*]]: tensor<8xbf16>, %{{.*}}: tensor<8xf32>)
// CHECK-DAG: %[[W:.*]] = dist.fence %{{.*}} after %[[SEEN]]
// CHECK-DAG: %[[B:.*]] = dist.fence %[[CAST]] after %[[SEEN]]
// CHECK: %[[BOTH:.*]]:2 = dist.all_gather %[[W]], %[[B]] dim 0, 0 over <@m, {"data"}> {dist.parameters = ["w", "b"]}
// CHECK-NEXT: graph.unary neg %[[BOTH]]#0
// CHECK: graph.unary exp %[[BOTH]]#1
// CHECK: dist.all_reduce sum %{{[a-z0-9]+}} over <@m, {"data"}> {dist.parameters = ["b"]}
// CHECK: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: dist.all_reduce sum %[[LOOP]]#1 over <@m, {"data"}> {dist.parameters = ["w"]}
func.func @loop(
    %w: tensor<4xbf16> {graph.parameter = "w", dist.group = 1 : i64}, %b: tensor<4xf32> {graph.parameter = "b", dist.group = 1 : i64},
    %x: tensor<8xbf16>, %y: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %b16 = graph.cast %b : tensor<4xf32> -> tensor<4xbf16>
  %r:2 = graph.loop 3(%x, %y) : (tensor<8xbf16>, tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  ^bb0(%i: tensor<i64>, %seen: tensor<8xbf16>, %sum: tensor<8xf32>):
    %w1 = dist.fence %w after %seen : tensor<4xbf16>, tensor<8xbf16>
    %0 = dist.all_gather %w1 dim 0 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<4xbf16> -> tensor<8xbf16>
    %1 = graph.unary neg %0 : tensor<8xbf16>
    %b1 = dist.fence %b16 after %seen : tensor<4xbf16>, tensor<8xbf16>
    %2 = dist.all_gather %b1 dim 0 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<4xbf16> -> tensor<8xbf16>
    %3 = graph.unary exp %2 : tensor<8xbf16>
    %4 = graph.binary mul %1, %3 : tensor<8xbf16>
    %5 = graph.cast %4 : tensor<8xbf16> -> tensor<8xf32>
    %6 = dist.all_reduce sum %5 over <@m, {"data"}> {dist.parameters = ["b"]} : tensor<8xf32>
    %7 = graph.binary add %sum, %6 : tensor<8xf32>
    graph.yield %4, %7 : tensor<8xbf16>, tensor<8xf32>
  }
  %8 = dist.all_reduce sum %r#1 over <@m, {"data"}> {dist.parameters = ["w"]} : tensor<8xf32>
  return %r#0, %8 : tensor<8xbf16>, tensor<8xf32>
}
