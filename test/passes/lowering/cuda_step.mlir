// A training step on a mesh of 2x2x2 as GPUs run it.
//
// Groups: `axes` are axis, pre-size and size of each axis along which ranks talk, so one communicator of NCCL for each
// list (nccl_test.cpp runs them): parameters stored in parts travel along data, partial products are summed along
// tensor, gradients along data and context.
// Epilogues: the bias is cuBLASLt's, and so is its gradient, which comes with the weight's.
// Order: the list of instructions is whole, there is no other. All are put into a stream, and each event is recorded
// before something waits for it: nothing waits for the host, and a CUDA graph can be captured (test/e2e/cuda_graphs.test).
// RUN: shard-opt %s --sheaf-lower-model=target=cuda | FileCheck %s

// Nothing lives in the memory of the host, so nothing goes there or comes from there.
// CHECK-NOT: host
// CHECK: exec.mesh ["data", "context", "tensor"] extents [2, 2, 2]
// CHECK-NOT: host
// CHECK: %[[LAST:.*]] = exec.buffer at {{[0-9]+}} : <4x8xf32>
// CHECK-NEXT: exec.call "all_gather"{{.*}} with {axes = array<i64: 0, 1, 2>, {{.*}} {records = array<i64: [[UP:[0-9]+]]>, stream = 1 : i64}
// CHECK-NEXT: exec.call "contract"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) {{.*}}has_bias = true{{.*}} {waits = array<i64: [[UP]]>}
// CHECK-NEXT: exec.launch
// CHECK-NEXT: exec.call "contract"{{.*}} {records = array<i64: [[PART:[0-9]+]]>}
// CHECK-NEXT: exec.call "all_reduce"{{.*}} with {axes = array<i64: 2, 1, 2>, {{.*}} {records = array<i64: [[SUM:[0-9]+]]>, stream = 1 : i64, waits = array<i64: [[PART]]>}
// CHECK-NEXT: exec.launch {{.*}} {waits = array<i64: [[SUM]]>}
// CHECK-NEXT: exec.call "contract"{{.*}} with {lhs_contract = array<i64: 0, 1>, rhs_contract = array<i64: 0, 1>} :
// CHECK-NEXT: exec.call "contract"{{.*}} with {lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} :
// CHECK-NEXT: exec.launch
// CHECK-NEXT: exec.call "contract"{{.*}} -> (%{{[^,]*}}, %[[GBIAS:[0-9]+]]) with {{.*}}sums = "rhs"} {records = array<i64: [[GUP:[0-9]+]]>}
// CHECK-NEXT: exec.call "reduce_scatter"{{.*}} with {axes = array<i64: 0, 1, 2>, {{.*}} {stream = 1 : i64, waits = array<i64: [[GUP]]>}
// CHECK-NEXT: exec.call "all_reduce"(%[[LAST]]){{.*}} with {axes = array<i64: 1, 1, 2>, {{.*}} {records = array<i64: [[STEP:[0-9]+]]>, stream = 1 : i64}
// CHECK-NEXT: exec.launch {{.*}} {waits = array<i64: [[STEP]]>}
// CHECK-NEXT: exec.call "all_reduce"(%[[GBIAS]]){{.*}} with {axes = array<i64: 0, 1, 2, 1, 1, 2>, {{.*}} {records = array<i64: [[BIAS:[0-9]+]]>, stream = 1 : i64}
// CHECK-NEXT: exec.launch {{.*}} {waits = array<i64: [[BIAS]]>}
// CHECK-NEXT: exec.call "all_reduce"{{.*}} with {axes = array<i64: 0, 1, 2, 1, 1, 2>, {{.*}} {records = array<i64: [[DOWN:[0-9]+]]>, stream = 1 : i64}
// CHECK-NEXT: exec.launch {{.*}} {waits = array<i64: [[DOWN]]>}
// CHECK-NEXT: exec.call "all_reduce"{{.*}} with {axes = array<i64: 0, 1, 2, 1, 1, 2>, {{.*}} {stream = 1 : i64}
// CHECK-NEXT: }

dist.mesh @m <["data"=2, "context"=2, "tensor"=2]>
func.func @step(
    %x: tensor<4x8x8xf32> {graph.input = "x", dist.sharding = #dist.sharding<@m, [{"data"}, {"context"}, {}]>},
    %up: tensor<8x16xf32> {graph.parameter = "up", graph.kept, graph.source = dense<0.5> : tensor<8x16xf32>, dist.sharding = #dist.sharding<@m, [{"data"}, {"tensor"}]>},
    %bias: tensor<16xf32> {graph.parameter = "bias", graph.kept, graph.source = dense<0.5> : tensor<16xf32>, dist.sharding = #dist.sharding<@m, [{"tensor"}]>},
    %down: tensor<16x8xf32> {graph.parameter = "down", graph.kept, graph.source = dense<0.5> : tensor<16x8xf32>, dist.sharding = #dist.sharding<@m, [{"tensor"}, {}]>})
    -> (tensor<f32> {graph.output = "loss", dist.sharding = #dist.sharding<@m, []>},
        tensor<8x16xf32> {graph.update = "up", dist.sharding = #dist.sharding<@m, [{"data"}, {"tensor"}]>},
        tensor<16xf32> {graph.update = "bias", dist.sharding = #dist.sharding<@m, [{"tensor"}]>},
        tensor<16x8xf32> {graph.update = "down", dist.sharding = #dist.sharding<@m, [{"tensor"}, {}]>})
    attributes {graph.program = "train_step"} {
  %0 = graph.contract %x, %up batch [] x [] over [2] x [0] : (tensor<4x8x8xf32>, tensor<8x16xf32>) -> tensor<4x8x16xf32>
  %1 = graph.broadcast %bias to [2] : tensor<16xf32> -> tensor<4x8x16xf32>
  %2 = graph.binary add %0, %1 : tensor<4x8x16xf32>
  %h = graph.unary gelu_tanh %2 : tensor<4x8x16xf32>
  %y = graph.contract %h, %down batch [] x [] over [2] x [0] : (tensor<4x8x16xf32>, tensor<16x8xf32>) -> tensor<4x8x8xf32>
  %e = graph.binary mul %y, %y : tensor<4x8x8xf32>
  %loss = graph.reduce sum %e over [0, 1, 2] : tensor<4x8x8xf32>
  %gdown = graph.contract %h, %y batch [] x [] over [0, 1] x [0, 1] : (tensor<4x8x16xf32>, tensor<4x8x8xf32>) -> tensor<16x8xf32>
  %gh = graph.contract %y, %down batch [] x [] over [2] x [1] : (tensor<4x8x8xf32>, tensor<16x8xf32>) -> tensor<4x8x16xf32>
  %gpre = graph.binary mul %gh, %h : tensor<4x8x16xf32>
  %gup = graph.contract %x, %gpre batch [] x [] over [0, 1] x [0, 1] : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<8x16xf32>
  %gbias = graph.reduce sum %gpre over [0, 1] : tensor<4x8x16xf32>
  %newup = graph.binary sub %up, %gup : tensor<8x16xf32>
  %newbias = graph.binary sub %bias, %gbias : tensor<16xf32>
  %newdown = graph.binary sub %down, %gdown : tensor<16x8xf32>
  return %loss, %newup, %newbias, %newdown : tensor<f32>, tensor<8x16xf32>, tensor<16xf32>, tensor<16x8xf32>
}
