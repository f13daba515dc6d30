// RUN: shard-opt %s --lowering-plan-memory -split-input-file | FileCheck %s

// %a is dead when %c is written: they share memory. A view keeps its memory alive.
// CHECK-LABEL: exec.program @forward
// CHECK-SAME: arena [128]
// CHECK: exec.buffer at 0 : <16xf32>
// CHECK: exec.buffer at 64 : <16xf32>
// CHECK: exec.buffer at 0 : <16xf32>
exec.program @forward inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<16xf32>, %y: !exec.buffer<4xf32>):
  %a = exec.buffer : !exec.buffer<16xf32>
  %b = exec.buffer : !exec.buffer<16xf32>
  %c = exec.buffer : !exec.buffer<16xf32>
  %v = exec.view %c at 4 : !exec.buffer<16xf32> -> !exec.buffer<4xf32>
  exec.call "copy"(%x) -> (%a) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%a) -> (%b) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%b) -> (%c) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%v) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}
