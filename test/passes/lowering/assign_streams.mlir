// Collectives run on a stream of their own; events order what touches the same memory.
// RUN: shard-opt %s -lowering-assign-streams -lowering-plan-memory | FileCheck %s

exec.mesh ["x"] extents [2]

// The sum of %a may run while %c is computed from %b; what reads the sum waits for it. Memory that the collective may
// still read is not given to another value: all four values have places of their own.
// CHECK-LABEL: exec.program @beside
// CHECK-SAME: arena [256]
// CHECK: exec.call "copy"(%{{.*}}) -> (%{{.*}}) {records = array<i64: 0>}
// CHECK: exec.call "all_reduce"{{.*}} {records = array<i64: 1>, stream = 1 : i64, waits = array<i64: 0>}
// CHECK-NOT: waits
// CHECK: exec.call "copy"
// CHECK-NOT: waits
// CHECK: exec.call "cast"
// CHECK: exec.call "copy"{{.*}} {waits = array<i64: 1>}
exec.program @beside inputs ["a", "b"] outputs ["y", "z"] {
^bb0(%a: !exec.buffer<16xf32>, %b: !exec.buffer<16xf32>, %y: !exec.buffer<16xf32>, %z: !exec.buffer<16xf32>):
  %0 = exec.buffer : !exec.buffer<16xf32>
  %1 = exec.buffer : !exec.buffer<16xf32>
  %2 = exec.buffer : !exec.buffer<16xf32>
  %3 = exec.buffer : !exec.buffer<16xf32>
  exec.call "copy"(%a) -> (%0) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "all_reduce"(%0) -> (%1) with {axes = array<i64: 0, 1, 2>, kind = "sum"} : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%b) -> (%2) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "cast"(%2) -> (%3) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%3) -> (%z) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%1) -> (%y) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
}

// Without collectives there is one stream and nothing to wait for.
// CHECK-LABEL: exec.program @alone
// CHECK-NOT: waits
// CHECK-NOT: stream
exec.program @alone inputs ["a"] outputs ["y"] {
^bb0(%a: !exec.buffer<16xf32>, %y: !exec.buffer<16xf32>):
  exec.call "copy"(%a) -> (%y) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
}

// What a collective reads is not overwritten before it has ended.
// CHECK-LABEL: exec.program @write_after_read
// CHECK: exec.call "all_reduce"{{.*}} {records = array<i64: [[EVENT:[0-9]+]]>, stream = 1 : i64
// CHECK: exec.call "copy"(%arg1) -> (%{{.*}}) {waits = array<i64: [[EVENT]]>}
exec.program @write_after_read inputs ["a", "b"] outputs ["y", "z"] {
^bb0(%a: !exec.buffer<16xf32>, %b: !exec.buffer<16xf32>, %y: !exec.buffer<16xf32>, %z: !exec.buffer<16xf32>):
  %0 = exec.buffer : !exec.buffer<16xf32>
  exec.call "copy"(%a) -> (%0) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "all_reduce"(%0) -> (%y) with {axes = array<i64: 0, 1, 2>, kind = "sum"} : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%b) -> (%0) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%0) -> (%z) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
}
