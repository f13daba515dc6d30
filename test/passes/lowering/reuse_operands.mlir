// RUN: shard-opt %s --lowering-reuse-operands -split-input-file | FileCheck %s

// A running sum may be written over its operand, unless that is read later.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[A:.*]] = exec.buffer : <4xf32>
// CHECK: %[[C:.*]] = exec.buffer : <4xf32>
// CHECK-NOT: exec.buffer :
// CHECK: exec.call "copy"(%{{.*}}) -> (%[[A]])
// CHECK: exec.call "cumulative"(%[[A]]) -> (%[[A]])
// CHECK: exec.call "cumulative"(%[[A]]) -> (%[[C]])
// CHECK: exec.call "copy"(%[[A]])
exec.program @forward inputs ["x"] outputs ["y", "z"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>, %z: !exec.buffer<4xf32>):
  %a = exec.buffer : !exec.buffer<4xf32>
  %b = exec.buffer : !exec.buffer<4xf32>
  %c = exec.buffer : !exec.buffer<4xf32>
  exec.call "copy"(%x) -> (%a) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "cumulative"(%a) -> (%b) with {dim = 0 : i64, kind = "sum"} : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "cumulative"(%b) -> (%c) with {dim = 0 : i64, kind = "sum"} : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%b) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%c) -> (%z) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}
