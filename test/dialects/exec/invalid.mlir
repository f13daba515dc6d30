// RUN: shard-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{an extent is negative or the buffer has more than 2^60 bytes}}
func.func private @buffer_c1_too_large(!exec.buffer<1152921504606846976x4xf32>)

// -----

// expected-error @+1 {{1 strides for 2 dims}}
func.func private @buffer_c2_missing_stride(!exec.buffer<4x8xf32, strides = [8]>)

// -----

// expected-error @+1 {{strides and packed exclude each other}}
func.func private @buffer_c3_strided_and_packed(!exec.buffer<4x8xf32, strides = [1, 4], packed = 128>)

// -----

// expected-error @+1 {{unknown word 'stride' in a buffer type}}
func.func private @buffer_unknown_word(!exec.buffer<4x8xf32, stride = 1>)

// -----

// expected-error @+1 {{range of 8 bytes at offset -1 of "w" is negative or overflows}}
exec.variable @file_c1_negative : !exec.buffer<2xf32> from #exec.file<"w", -1, 8>

// -----

// expected-error @+1 {{is neither plain nor packed}}
exec.variable @variable_c1_strided : !exec.buffer<4x4xf32, strides = [1, 4]>

// -----

// expected-error @+1 {{of 8 bytes cannot start from #exec.file<"w", 0, 12>}}
exec.variable @variable_c2_bytes : !exec.buffer<2xf32> from #exec.file<"w", 0, 12>

// -----

// expected-error @+1 {{has 1 arguments for 2 inputs and outputs}}
exec.program @program_c1_arguments inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>):
}

// -----

// expected-error @+1 {{argument 0 of type '!exec.buffer<4x4xf32, strides = [1, 4]>' is not a plain buffer}}
exec.program @program_c1_plain inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4x4xf32, strides = [1, 4]>):
}

// -----

// expected-error @+1 {{has two outputs named "y"}}
exec.program @program_c2_names inputs [] outputs ["y", "y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}

// -----

exec.program @program_c3_no_place inputs [] outputs [] arena [64] {
  // expected-error @+1 {{has no place, but the program is planned}}
  %t = exec.buffer : !exec.buffer<4xf32>
}

// -----

exec.program @program_c3_outside inputs [] outputs [] arena [64] {
  // expected-error @+1 {{of 16 bytes at 64 is not within the arena of 64 bytes}}
  %t = exec.buffer at 64 : !exec.buffer<4xf32>
}

// -----

exec.variable @x : !exec.buffer<4xf32> from dense<1.0> : tensor<4xf32>
// expected-error @+1 {{has a default for "z", which is no input}}
exec.program @program_c4_no_input inputs ["x"] outputs [] defaults {z = @x} {
^bb0(%x: !exec.buffer<4xf32>):
}

// -----

exec.variable @x : !exec.buffer<4xi32> from dense<1> : tensor<4xi32>
// expected-error @+1 {{default of input "x": @x is no variable of type '!exec.buffer<4xf32>'}}
exec.program @program_c4_type inputs ["x"] outputs [] defaults {x = @x} {
^bb0(%x: !exec.buffer<4xf32>):
}

// -----

exec.program @buffer_op_c1_strided inputs [] outputs [] {
  // expected-error @+1 {{of type '!exec.buffer<4x4xf32, strides = [1, 4]>' is not plain}}
  %t = exec.buffer : !exec.buffer<4x4xf32, strides = [1, 4]>
}

// -----

exec.program @buffer_op_c2_alignment inputs [] outputs [] {
  // expected-error @+1 {{offset 32 is not a multiple of 64}}
  %t = exec.buffer at 32 : !exec.buffer<4xf32>
}

// -----

exec.variable @w : !exec.buffer<4xf32> from #exec.file<"w", 0, 16>
exec.program @get_c1_type inputs [] outputs [] {
  // expected-error @+1 {{finds no variable w of type '!exec.buffer<8xf32>'}}
  %w = exec.get @w : !exec.buffer<8xf32>
}

// -----

exec.program @view_c1_element_type inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  // expected-error @+1 {{changes the element type or the memory space}}
  %v = exec.view %x at 0 : !exec.buffer<4xf32> -> !exec.buffer<4xi32>
}

// -----

exec.variable @w : !exec.buffer<4xf32, packed = 64>
exec.program @view_c2_packed inputs [] outputs [] {
  %w = exec.get @w : !exec.buffer<4xf32, packed = 64>
  // expected-error @+1 {{packed buffers have no views}}
  %v = exec.view %w at 0 : !exec.buffer<4xf32, packed = 64> -> !exec.buffer<4xf32>
}

// -----

exec.program @view_c3_past_the_end inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  // expected-error @+1 {{at 1 reaches elements 1 to 5 of a source that has 0 to 4}}
  %v = exec.view %x at 1 : !exec.buffer<4xf32> -> !exec.buffer<4xf32>
}

// -----

exec.program @view_c3_before_the_start inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  // expected-error @+1 {{at 2 reaches elements -1 to 3 of a source that has 0 to 4}}
  %v = exec.view %x at 2 : !exec.buffer<4xf32> -> !exec.buffer<4xf32, strides = [-1]>
}

// -----

exec.program @call_c1_param inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  // expected-error @+1 {{parameter "dim" is unit; it must be integers, floats or a string}}
  exec.call "copy"(%x) -> (%x) with {dim} : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}

// -----

exec.program @launch_c1_kernel inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<4xf32>):
  // expected-error @+1 {{finds no kernel @k that reads 1 buffers}}
  exec.launch @k(%x) -> (%x) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
}

// -----

// expected-error @+1 {{cut [1, 0, 1, 2] of a tensor of rank 1: the dim must exist, sizes be positive}}
exec.variable @shard_c1_dim : !exec.buffer<2xf32> shard <[4], cuts = [1, 0, 1, 2]>

// -----

// expected-error @+1 {{3 numbers of cuts; each cut has four}}
exec.variable @shard_c1_fours : !exec.buffer<2xf32> shard <[4], cuts = [0, 0, 1]>

// -----

// expected-error @+1 {{of 16 bytes cannot start from #exec.file<"w", 0, 8>}}
exec.variable @variable_c2_whole : !exec.buffer<2xf32> shard <[4], cuts = [0, 0, 1, 2]> from #exec.file<"w", 0, 8>

// -----

// expected-error @+1 {{has 1 extents for 2 axes}}
exec.mesh ["x", "y"] extents [2]

// -----

// expected-error @+1 {{has devices [0, 2], which must be the ranks 0 to 1 in some order}}
exec.mesh ["x"] extents [2] devices [0, 2]

// -----

// expected-error @+1 {{has 1 shards for 2 inputs and outputs}}
exec.program @program_c5_shards inputs ["x"] outputs ["y"] shards [#exec.shard<[4]>] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}

// -----

// expected-error @+1 {{is carried from part to part, so it cannot start from dense<0.0}}
exec.variable @variable_c3_source : !exec.buffer<1xf32> from dense<0.0> : tensor<1xf32> as carried

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
// expected-error @+1 {{has two inputs named "x"}}
exec.schedule @schedule_c1_names inputs ["x", "x"] outputs ["y"] {
  exec.run @p
}

// -----

// expected-error @+1 {{holds exec.variable; it can hold exec.run only}}
exec.schedule @schedule_c2_other_op inputs [] outputs [] {
  exec.variable @v : !exec.buffer<4xf32>
}

// -----

exec.variable @v : !exec.buffer<4xf32>
exec.schedule @schedule_c2_no_program inputs [] outputs [] {
  // expected-error @+1 {{finds no program @v}}
  exec.run @v
}

// -----

exec.schedule @schedule_c2_schedule inputs [] outputs [] {
  // expected-error @+1 {{finds no program @schedule_c2_schedule}}
  exec.run @schedule_c2_schedule
}

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
// expected-error @+1 {{has no input "x", which part @p has}}
exec.schedule @schedule_c3_of_part inputs [] outputs ["y"] {
  exec.run @p
}

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
// expected-error @+1 {{output "z" is of no part}}
exec.schedule @schedule_c3_of_no_part inputs ["x"] outputs ["y", "z"] {
  exec.run @p
}

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
exec.program @q inputs ["x"] outputs [] {
^bb0(%x: !exec.buffer<8xf32>):
}
// expected-error @+1 {{input "x" is of type '!exec.buffer<4xf32>' in part @p, of type '!exec.buffer<8xf32>' in part @q}}
exec.schedule @schedule_c3_types inputs ["x"] outputs ["y"] {
  exec.run @p
  exec.run @q
}

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
exec.program @q inputs [] outputs ["y"] {
^bb0(%y: !exec.buffer<4xf32>):
}
// expected-error @+1 {{output "y" is given by part @p and by part @q}}
exec.schedule @schedule_c4_outputs inputs ["x"] outputs ["y"] {
  exec.run @p
  exec.run @q
}

// -----

exec.program @p inputs ["x"] outputs ["y"] {
^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
}
exec.schedule @run_c1_times inputs ["x"] outputs ["y"] {
  // expected-error @+1 {{runs @p 0 times; it must be at least once}}
  exec.run @p times 0
}
