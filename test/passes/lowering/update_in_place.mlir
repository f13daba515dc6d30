// RUN: shard-opt %s --lowering-update-in-place --split-input-file | FileCheck %s

// A running sum reads each element before it writes that place: it may overwrite the variable.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[W:.*]] = exec.get @w
// CHECK-NOT: exec.buffer
// CHECK: exec.call "copy"(%[[W]]) -> (%{{.*}})
// CHECK-NEXT: exec.call "cumulative"(%[[W]]) -> (%[[W]])
// CHECK-NOT: exec.call
exec.variable @w : !exec.buffer<4xf32> from dense<1.0> : tensor<4xf32> as parameter
exec.program @forward inputs [] outputs ["y"] {
^bb0(%y: !exec.buffer<4xf32>):
  %w = exec.get @w : !exec.buffer<4xf32>
  %a = exec.buffer : !exec.buffer<4xf32>
  exec.call "copy"(%w) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "cumulative"(%w) -> (%a) with {dim = 0 : i64, kind = "sum"} : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%a) -> (%w) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}

// -----

// The old value is wanted after the new one is known.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[A:.*]] = exec.buffer
// CHECK: exec.call "cumulative"(%[[W:.*]]) -> (%[[A]])
// CHECK-NEXT: exec.call "copy"(%[[W]]) -> (%{{.*}})
// CHECK-NEXT: exec.call "copy"(%[[A]]) -> (%[[W]])
exec.variable @w : !exec.buffer<4xf32> from dense<1.0> : tensor<4xf32> as parameter
exec.program @forward inputs [] outputs ["y"] {
^bb0(%y: !exec.buffer<4xf32>):
  %w = exec.get @w : !exec.buffer<4xf32>
  %a = exec.buffer : !exec.buffer<4xf32>
  exec.call "cumulative"(%w) -> (%a) with {dim = 0 : i64, kind = "sum"} : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%w) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%a) -> (%w) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}

// -----

// Two variables swap their values: one of them has to be kept aside.
// CHECK-LABEL: exec.program @forward
// CHECK: %[[OLD:.*]] = exec.buffer
// CHECK-NOT: exec.buffer
// CHECK: exec.call "copy"(%[[V:.*]]) -> (%[[OLD]])
// CHECK-NEXT: exec.call "copy"(%[[W:.*]]) -> (%[[V]])
// CHECK-NEXT: exec.call "copy"(%[[OLD]]) -> (%[[W]])
// CHECK-NOT: exec.call
exec.variable @v : !exec.buffer<4xf32> from dense<1.0> : tensor<4xf32> as parameter
exec.variable @w : !exec.buffer<4xf32> from dense<2.0> : tensor<4xf32> as state
exec.program @forward inputs [] outputs [] {
  %v = exec.get @v : !exec.buffer<4xf32>
  %w = exec.get @w : !exec.buffer<4xf32>
  %a = exec.buffer : !exec.buffer<4xf32>
  %b = exec.buffer : !exec.buffer<4xf32>
  exec.call "copy"(%v) -> (%a) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%w) -> (%b) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%b) -> (%v) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
  exec.call "copy"(%a) -> (%w) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}
