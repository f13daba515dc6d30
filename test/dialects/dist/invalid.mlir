// RUN: shard-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{two axes are named "x"}}
dist.mesh @c1_axis_names <["x"=2, "x"=4]>

// -----

// expected-error @+1 {{an axis is named "x\"y"; names are of letters, digits, _, . and -, a letter or _ first}}
dist.mesh @c4_name <["x\"y"=2]>

// -----

// expected-error @+1 {{an axis is named ""}}
dist.mesh @c4_empty_name <[""=2]>

// -----

// expected-error @+1 {{axis "x" has extent 0; extents are at least 1}}
dist.mesh @c2_extent <["x"=0]>

// -----

// expected-error @+1 {{axis "y" has extent 1048576}}
dist.mesh @c2_too_many_devices <["x"=2, "y"=1048576]>

// -----

// expected-error @+1 {{3 ranks are listed for 4 devices}}
dist.mesh @c3_too_few_ranks <["x"=4], devices = [0, 1, 2]>

// -----

// expected-error @+1 {{rank 1 is out of range or listed twice}}
dist.mesh @c3_rank_twice <["x"=3], devices = [0, 1, 1]>

// -----

// expected-error @+1 {{part (0)2 of axis "x": the first number is at least 1, the second at least 2}}
func.func @c1_part(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{"x":(0)2}]>}) {
  return
}

// -----

// expected-error @+1 {{axis "x" is used twice}}
func.func @c1_axis_twice(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"x":(2)2}]>}) {
  return
}

// -----

// expected-error @+1 {{axis "x" is used twice}}
func.func @c1_crossing_parts(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@m, [{"x":(1)3}, {"x":(2)3}]>}) {
  return
}

// -----

// expected-error @+1 {{'?' must come last}}
func.func @open_before_axis(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{?, "x"}]>}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
// expected-error @+1 {{argument 0: mesh @m has no axis "z"}}
func.func @c2_no_such_axis(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{"z"}]>}) {
  return
}

// -----

// expected-error @+1 {{argument 0: there is no mesh @m}}
func.func @c2_no_such_mesh(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{"z"}]>}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
// expected-error @+1 {{argument 0: part (1)3 does not divide axis "x" of extent 4}}
func.func @c2_part_of_axis(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@m, [{"x":(1)3}]>}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
// expected-error @+1 {{argument 0: the sharding has 1 dims, 'tensor<4x4xf32>' has 2}}
func.func @rank(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
// expected-error @+1 {{argument 0 is of type 'tensor<3xf32>', but the block of 'tensor<5xf32>' is 'tensor<2xf32>'}}
func.func @whole(%x: tensor<3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>, dist.whole = tensor<5xf32>}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @shardings(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'dist.shardings' must be an array of 1 #dist.sharding, one for each result}}
  %0 = graph.unary neg %x {dist.shardings = []} : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @parameters(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'dist.parameters' must be an array of 1 strings, one for each result}}
  %0 = dist.all_reduce sum %x over <@m, {"x"}> {dist.parameters = ["a", "b"]} : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// expected-error @+1 {{'dist.group' of argument 0 must be an integer}}
func.func @group(%x: tensor<3xf32> {dist.group = "a"}) {
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @c3_element_types(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error @+1 {{has tensors of 'f32' and 'f64'}}
  %0:2 = dist.all_reduce sum %x, %y over <@m, {"x"}> : tensor<3xf32>, tensor<3xf64>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @c3_dims(%x: tensor<3xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{has 2 operands, 2 results and 1 dims}}
  %0:2 = dist.all_gather %x, %y dim 0 over <@m, {"x"}> : tensor<3xf32>, tensor<3xf32> -> tensor<12xf32>, tensor<12xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @c3_no_tensor() {
  // expected-error @+1 {{has no tensor}}
  "dist.all_reduce"() {kind = 0 : i32, axes = #dist.axes<@m, {"x"}>} : () -> ()
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @c1_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{axes: mesh @m has no axis "z"}}
  %0 = dist.all_reduce sum %x over <@m, {"z"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @c2_block(%x: tensor<4xf32>) -> tensor<17xf32> {
  // expected-error @+1 {{the block of 'tensor<17xf32>' along dim 0 over #dist.axes<@m, {"x"}> is 'tensor<5xf32>', not 'tensor<4xf32>'}}
  %0 = dist.all_gather %x dim 0 over <@m, {"x"}> : tensor<4xf32> -> tensor<17xf32>
  return %0 : tensor<17xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @c2_dim(%x: tensor<4xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{dim 1 is out of range of 'tensor<4xf32>'}}
  %0 = dist.slice %x dim 1 over <@m, {"x"}> : tensor<4xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @c2_same_dim(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{dims 0 and 0 must differ and be of 'tensor<4x4xf32>'}}
  %0 = dist.all_to_all %x gather 0 split 0 over <@m, {"x"}> : tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

dist.mesh @m <["x"=4, "y"=2]>
func.func @c1_digits(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{both must hold the same digits}}
  %0 = dist.permute %x from <@m, {"x"}> to <@m, {"x", "y"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @c2_scalar() -> tensor<i32> {
  // expected-error @+1 {{the result is 'tensor<i32>', it must be tensor<i64>}}
  %0 = dist.shard_index over <@m, {"x"}> : tensor<i32>
  return %0 : tensor<i32>
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c2_dim(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{dim 1 must be one of 'tensor<2xf32>' and of 'tensor<4xf32>'}}
  %0 = dist.window %x, %v dim 1 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<2xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c2_block(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{the block of 'tensor<8xf32>' along dim 0 over #dist.axes<@m, {"x"}> is 'tensor<2xf32>', not 'tensor<3xf32>'}}
  %0 = dist.window %x, %v dim 0 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<3xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c3_fill(%x: tensor<2xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{the fill is 'tensor<1xf32>', it must be 'tensor<f32>'}}
  %0 = dist.window %x, %v dim 0 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<2xf32>, tensor<1xf32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c4_scale(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{scale 0, divisor 1, first -1 and last 1 are no window of 8 places on 8 elements}}
  %0 = dist.window %x, %v dim 0 of 8 places 8 scale 0 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<2xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c4_overflow(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{are no window of 4611686018427387904 places on 8 elements}}
  %0 = dist.window %x, %v dim 0 of 8 places 4611686018427387904 scale 4 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<2xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c5_room(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{what a block of places needs is 'tensor<4xf32>', not 'tensor<3xf32>'}}
  %0 = dist.window %x, %v dim 0 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<2xf32>, tensor<f32> -> tensor<3xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @window_c6_unaligned(%x: tensor<1xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{a part begins at place 3, which scale 1 takes to no multiple of divisor 2}}
  %0 = dist.window %x, %v dim 0 of 4 places 12 scale 1 divisor 2 first 0 last 0 over <@m, {"x"}> : tensor<1xf32>, tensor<f32> -> tensor<2xf32>
  return
}

// -----

dist.mesh @m <["x"=4]>
func.func @c2_sources(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{names 2 sources for the 4 places of #dist.axes<@m, {"x"}>}}
  %0 = dist.send_recv %x sources [1, 0] over <@m, {"x"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dist.mesh @m <["x"=2]>
func.func @c2_source(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{source 2 is no place of #dist.axes<@m, {"x"}> and not -1}}
  %0 = dist.send_recv %x sources [1, 2] over <@m, {"x"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @mark(%x: tensor<4xf32>) {
  // expected-error @+1 {{of kind weight does not name its parameter}}
  %0 = dist.mark weight %x : tensor<4xf32>
  return
}

// -----

func.func @loss(%x: tensor<f32>) {
  // expected-error @+1 {{of kind loss names a parameter}}
  %0 = dist.mark loss %x of "w" : tensor<f32>
  return
}

// -----

// expected-error @+1 {{'dist.shared_axes' must be a #dist.axes}}
func.func @shared(%x: tensor<f32>) attributes {dist.shared_axes = "data"} {
  return
}

// -----

// What case 3 of training asks for: a gradient that ranks still have to add up can't become the value of a variable.
dist.mesh @m <["x"=4]>
// expected-error @+1 {{result 0 updates "w" and is partial; a variable is whole or in blocks: combine it first}}
func.func @partial_update(%w: tensor<3xf32> {graph.parameter = "w"}) -> (tensor<3xf32> {graph.update = "w", dist.sharding = #dist.sharding<@m, [{}], partial = sum{"x"}>}) {
  return %w : tensor<3xf32>
}
