// RUN: shard-opt %s --lowering-plan-memory=device-memory=1000 -verify-diagnostics

// expected-error @+3 {{the plan needs 8.12 KiB but the device memory is 1000 B}}
// expected-note @+2 {{live at the peak: input "x", 64 B}}
// expected-note @+1 {{live at the peak: output "y", 64 B}}
exec.program @forward inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<16xf32>, %y: !exec.buffer<16xf32>):
  // expected-note @+1 {{live at the peak: a value, 8.00 KiB}}
  %a = exec.buffer : !exec.buffer<2048xf32>
  %v = exec.view %a at 0 : !exec.buffer<2048xf32> -> !exec.buffer<16xf32>
  exec.call "copy"(%x) -> (%v) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
  exec.call "copy"(%v) -> (%y) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
}
