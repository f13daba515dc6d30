// RUN: shard-opt %s --lowering-plan-memory=device-memory=1000 -split-input-file -verify-diagnostics | FileCheck %s

// Each part has a plan of its own; what is carried is allocated all the time, and so is what the other part takes.
// CHECK: exec.program @a {{.*}} arena [256]
exec.variable @carried : !exec.buffer<64xf32> as carried
exec.program @a inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<64xf32>):
  %c = exec.get @carried : !exec.buffer<64xf32>
  %t = exec.buffer : !exec.buffer<64xf32>
  exec.call "copy"(%x) -> (%t) : (!exec.buffer<64xf32>) -> (!exec.buffer<64xf32>)
  exec.call "copy"(%t) -> (%c) : (!exec.buffer<64xf32>) -> (!exec.buffer<64xf32>)
}
// CHECK: exec.program @b {{.*}} arena [0]
exec.program @b inputs [] outputs ["y"] {
^bb0(%y: !exec.buffer<16xf32>):
  %c = exec.get @carried : !exec.buffer<64xf32>
  %v = exec.view %c at 0 : !exec.buffer<64xf32> -> !exec.buffer<16xf32>
  exec.call "copy"(%v) -> (%y) : (!exec.buffer<16xf32>) -> (!exec.buffer<16xf32>)
}
exec.schedule @whole inputs ["x"] outputs ["y"] {
  exec.run @a
  exec.run @b
}

// -----

exec.variable @carried : !exec.buffer<64xf32> as carried
// expected-error @+4 {{the plan needs 1.06 KiB but the device memory is 1000 B}}
// expected-note @+3 {{live at the peak: input "x", 512 B}}
// expected-note @+2 {{live at the peak: output "y", 320 B}}
// expected-note @+1 {{live at the peak: variable "carried", 256 B}}
exec.program @a inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<128xf32>):
  %c = exec.get @carried : !exec.buffer<64xf32>
  %v = exec.view %x at 0 : !exec.buffer<128xf32> -> !exec.buffer<64xf32>
  exec.call "copy"(%v) -> (%c) : (!exec.buffer<64xf32>) -> (!exec.buffer<64xf32>)
}
exec.program @b inputs [] outputs ["y"] {
^bb0(%y: !exec.buffer<80xf32>):
  %c = exec.get @carried : !exec.buffer<64xf32>
  %v = exec.view %y at 0 : !exec.buffer<80xf32> -> !exec.buffer<64xf32>
  exec.call "copy"(%c) -> (%v) : (!exec.buffer<64xf32>) -> (!exec.buffer<64xf32>)
}
exec.schedule @whole inputs ["x"] outputs ["y"] {
  exec.run @a
  exec.run @b
}
