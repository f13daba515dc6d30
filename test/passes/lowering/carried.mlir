// RUN: shard-opt %s --lowering-outline-loops --lowering-cluster --lowering-hoist-prepare --lowering-bufferize --lowering-update-in-place | FileCheck %s

// A sum over trips is carried in a variable: zeros before the first, added to where it is, read at the end. What is
// carried is no constant that "prepare" could compute.
// CHECK-DAG: exec.variable @forward.carried.value : !exec.buffer<4xf32> as carried
// CHECK-DAG: exec.variable @forward.carried.trip : !exec.buffer<i64> as carried
// CHECK-NOT: exec.program @prepare
// CHECK-LABEL: exec.program @forward.begin inputs ["x"] outputs [] {
// CHECK-DAG: %[[TRIP:.*]] = exec.get @forward.carried.trip
// CHECK-DAG: %[[SUM:.*]] = exec.get @forward.carried.value
// CHECK-DAG: exec.call "copy"(%{{.*}}) -> (%[[TRIP]])
// CHECK-DAG: exec.call "copy"(%{{.*}}) -> (%[[SUM]])
// CHECK-LABEL: exec.program @forward.trip inputs [] outputs [] {
// CHECK-NEXT: %[[TRIP:.*]] = exec.get @forward.carried.trip
// CHECK-NEXT: %[[SUM:.*]] = exec.get @forward.carried.value
// CHECK-NEXT: exec.launch @{{.*}}(%[[TRIP]], %[[SUM]]) -> (%[[SUM]])
// CHECK-NEXT: exec.launch @{{.*}}(%[[TRIP]]) -> (%[[TRIP]])
// CHECK-NEXT: }
// CHECK-LABEL: exec.program @forward.end inputs [] outputs ["y"] {
// CHECK: %[[SUM:.*]] = exec.get @forward.carried.value
// CHECK-NEXT: exec.launch @{{.*}}(%[[SUM]])
// CHECK-LABEL: exec.schedule @forward inputs ["x"] outputs ["y"] {
func.func @main(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) {
  %zeros = graph.constant dense<0.0> : tensor<4xf32>
  %r = graph.loop 3(%zeros) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %sum: tensor<4xf32>):
    %f = graph.cast %i : tensor<i64> -> tensor<f32>
    %b = graph.broadcast %f to [] : tensor<f32> -> tensor<4xf32>
    %next = graph.binary add %sum, %b : tensor<4xf32>
    graph.yield %next : tensor<4xf32>
  }
  %y = graph.unary neg %r : tensor<4xf32>
  return %y : tensor<4xf32>
}
