// RUN: shard-opt %s | shard-opt | FileCheck %s

// CHECK: exec.variable @"h.0/w" : !exec.buffer<4x8xf32> from #exec.file<"weights.bin", 0, 128>
exec.variable @"h.0/w" : !exec.buffer<4x8xf32> from #exec.file<"weights.bin", 0, 128>
// CHECK: exec.variable @c : !exec.buffer<2xi64> from dense<[1, 2]> : tensor<2xi64>
exec.variable @c : !exec.buffer<2xi64> from dense<[1, 2]> : tensor<2xi64>
// CHECK: exec.variable prepare_only @p : !exec.buffer<4x8xf32, packed = 16384>
exec.variable prepare_only @p : !exec.buffer<4x8xf32, packed = 16384>

// CHECK: exec.kernel @kernel_0
exec.kernel @kernel_0 {
^bb0(%x: tensor<4xf32>):
  %y = graph.cluster(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.unary exp %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
}

// CHECK-LABEL: exec.program @forward inputs ["x"] outputs ["y"] arena [256] {
exec.program @forward inputs ["x"] outputs ["y"] arena [256] {
// CHECK: ^bb0(%[[X:.*]]: !exec.buffer<4xf32>, %[[Y:.*]]: !exec.buffer<4xf32>):
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
  // CHECK: exec.get @"h.0/w" : <4x8xf32>
  %w = exec.get @"h.0/w" : !exec.buffer<4x8xf32>
  // CHECK: %[[T:.*]] = exec.buffer at 64 : <4x8xf32>
  %t = exec.buffer at 64 : !exec.buffer<4x8xf32>
  // CHECK: %[[V:.*]] = exec.view %[[T]] at 8 : <4x8xf32> -> <4xf32, strides = [2]>
  %v = exec.view %t at 8 : !exec.buffer<4x8xf32> -> !exec.buffer<4xf32, strides = [2]>
  // CHECK: exec.call "copy"(%[[X]]) -> (%[[V]]) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32, strides = [2]>)
  exec.call "copy"(%x) -> (%v) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32, strides = [2]>)
  // CHECK: exec.launch @kernel_0(%[[X]]) -> (%[[Y]]) {records = array<i64: 0>, stream = 1 : i64}
  exec.launch @kernel_0(%x) -> (%y) {stream = 1 : i64, records = array<i64: 0>}
      : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}

// The value form, on tensors.
// CHECK-LABEL: func @value
func.func @value(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<4x2xf32> {
  // CHECK: exec.apply "contract"(%{{.*}}, %{{.*}}) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
  %d = exec.apply "contract"(%a, %b) with {lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %d : tensor<4x2xf32>
}

// CHECK-LABEL: exec.program @with_default inputs ["in/put"] outputs ["y"] defaults {"in/put" = @c}
exec.program @with_default inputs ["in/put"] outputs ["y"] defaults {"in/put" = @c} {
^bb0(%x: !exec.buffer<2xi64>, %y: !exec.buffer<2xi64>):
  exec.call "copy"(%x) -> (%y) : (!exec.buffer<2xi64>) -> (!exec.buffer<2xi64>)
}

// CHECK: exec.variable @carried : !exec.buffer<4xf32> as carried
exec.variable @carried : !exec.buffer<4xf32> as carried
exec.program @whole.begin inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  %c = exec.get @carried : !exec.buffer<4xf32>
  exec.call "copy"(%x) -> (%c) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}
exec.program @whole.end inputs ["x", "z"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %z: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
  %c = exec.get @carried : !exec.buffer<4xf32>
  exec.call "copy"(%c) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}
// CHECK-LABEL: exec.schedule @whole inputs ["z", "x"] outputs ["y"] micro_batches 4 {
exec.schedule @whole inputs ["z", "x"] outputs ["y"] micro_batches 4 {
  // CHECK-NEXT: exec.run @whole.begin{{$}}
  exec.run @whole.begin
  // CHECK-NEXT: exec.run @value times 4
  exec.run @value times 4
  // CHECK-NEXT: exec.run @whole.end{{$}}
  exec.run @whole.end
}
