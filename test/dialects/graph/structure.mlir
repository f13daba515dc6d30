// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK-LABEL: func @loop
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.loop 4(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<4xf32>):
  %r = graph.loop 4(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %b = graph.binary add %a, %w : tensor<4xf32>
    // CHECK: graph.yield %{{.*}} : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A loop may carry nothing and make no trip.
// CHECK-LABEL: func @loop_of_nothing
func.func @loop_of_nothing() {
  // CHECK: graph.loop 0() : () -> ()
  graph.loop 0() : () -> () {
  ^bb0(%i: tensor<i64>):
    graph.yield
  }
  return
}

// CHECK-LABEL: func @cluster
func.func @cluster(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: graph.cluster(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = graph.cluster(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %m = graph.reduce max %a over [1] : tensor<4x8xf32>
    %n = graph.broadcast %m to [0] : tensor<4xf32> -> tensor<4x8xf32>
    %b = graph.binary sub %a, %n : tensor<4x8xf32>
    graph.yield %b : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
