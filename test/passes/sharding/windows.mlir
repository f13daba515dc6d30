// Dims along which elements move stay cut: ranks send each other what their places need. test/equivalence/sharding.test executes all of this.
// RUN: shard-opt %s -sharding-propagate -sharding-insert-reshards -sharding-partition -canonicalize -cse | FileCheck %s

dist.mesh @m <["x"=4, "y"=2]>

// An image in tiles: rows come from above and below, then columns of the longer tile, which hold the corners.
// CHECK-LABEL: func @conv
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.0{{.*}}> : tensor<f32>
// CHECK-NEXT: %[[ROWS:.*]] = dist.window %arg0, %[[ZERO]] dim 2 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}> : tensor<1x2x2x4xf32>, tensor<f32> -> tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[TILE:.*]] = dist.window %[[ROWS]], %[[ZERO]] dim 3 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"y"}> : tensor<1x2x4x4xf32>, tensor<f32> -> tensor<1x2x4x6xf32>
// CHECK-NEXT: graph.conv %[[TILE]], %arg1 strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x2x4x6xf32>, tensor<3x2x3x3xf32>
// CHECK-NEXT: return
func.func @conv(%x: tensor<1x2x8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}, {"y"}]>}, %f: tensor<3x2x3x3xf32>) -> tensor<1x3x8x8xf32> {
  %0 = graph.conv %x, %f strides [1, 1] pad [1, 1] to [1, 1] dilations [1, 1] groups 1 : tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// Rows that no place of this rank sees stay where they are.
// CHECK-LABEL: func @strided_conv
// CHECK: dist.window %arg0, %{{.*}} dim 2 of 15 places 7 scale 2 divisor 1 first 0 last 2 over <@m, {"x"}> : tensor<1x2x4xf32>, tensor<f32> -> tensor<1x2x5xf32>
// CHECK-NEXT: graph.conv
func.func @strided_conv(%x: tensor<1x2x15xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}, %f: tensor<3x2x3xf32>) -> tensor<1x3x7xf32> {
  %0 = graph.conv %x, %f strides [2] pad [0] to [0] dilations [1] groups 1 : tensor<1x2x15xf32>, tensor<3x2x3xf32>
  return %0 : tensor<1x3x7xf32>
}

// Patches that lie within blocks move nothing.
// CHECK-LABEL: func @patches
// CHECK-NEXT: graph.conv %arg0, %arg1 {{.*}} : tensor<1x2x4x8xf32>
// CHECK-NEXT: return
func.func @patches(%x: tensor<1x2x16x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}, {}]>}, %f: tensor<3x2x4x4xf32>) -> tensor<1x3x4x2xf32> {
  %0 = graph.conv %x, %f strides [4, 4] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : tensor<1x2x16x8xf32>, tensor<3x2x4x4xf32>
  return %0 : tensor<1x3x4x2xf32>
}

// A part of the input's gradient reads the places that saw it; padding of the local form is where it begins.
// CHECK-LABEL: func @conv_input_grad
// CHECK: dist.window %arg0, %{{.*}} dim 2 of 8 places 16 scale 1 divisor 2 first 0 last 1 over <@m, {"x"}> : tensor<1x3x2xf32>, tensor<f32> -> tensor<1x3x3xf32>
// CHECK-NEXT: graph.conv_input_grad %{{.*}}, %arg1 strides [2] pad [1] to [2] dilations [1] groups 1 : (tensor<1x3x3xf32>, tensor<3x2x3xf32>) -> tensor<1x2x4xf32>
func.func @conv_input_grad(%g: tensor<1x3x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}, %f: tensor<3x2x3xf32>) -> (tensor<1x2x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) {
  %0 = graph.conv_input_grad %g, %f strides [2] pad [1] to [0] dilations [1] groups 1 : (tensor<1x3x8xf32>, tensor<3x2x3xf32>) -> tensor<1x2x16xf32>
  return %0 : tensor<1x2x16xf32>
}

// Blocks that begin between two places of the output have no local form.
// CHECK-LABEL: func @unaligned_input_grad
// CHECK-NOT: dist.window
// CHECK: dist.all_gather
// CHECK: return
func.func @unaligned_input_grad(%g: tensor<1x3x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}, %f: tensor<3x2x3xf32>) -> (tensor<1x2x12xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) {
  %0 = graph.conv_input_grad %g, %f strides [2] pad [1] to [0] dilations [1] groups 1 : (tensor<1x3x6xf32>, tensor<3x2x3xf32>) -> tensor<1x2x12xf32>
  return %0 : tensor<1x2x12xf32>
}

// Padding of a maximum is the lowest value.
// CHECK-LABEL: func @max_pool
// CHECK: %[[LOWEST:.*]] = graph.constant dense<0xFF800000> : tensor<f32>
// CHECK: dist.window %arg0, %[[LOWEST]] dim 2 of 8
// CHECK-NEXT: graph.pool max %{{.*}} pad [0] to [0]
func.func @max_pool(%x: tensor<1x2x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) -> tensor<1x2x8xf32> {
  %0 = graph.pool max %x window [3] strides [1] pad [1] to [1] dilations [1] : tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// A mean over what is no padding counts it.
// CHECK-LABEL: func @mean_pool
// CHECK: graph.pool sum
// CHECK: graph.pool sum
// CHECK: graph.binary div
func.func @mean_pool(%x: tensor<1x2x7xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) -> tensor<1x2x7xf32> {
  %0 = graph.pool avg_exclude %x window [3] strides [1] pad [1] to [1] dilations [1] : tensor<1x2x7xf32>
  return %0 : tensor<1x2x7xf32>
}

// A window of padding alone has the mean 0, as on one device.
// CHECK-LABEL: func @mean_pool_of_padding
// CHECK: graph.binary max
// CHECK: graph.binary div
func.func @mean_pool_of_padding(%x: tensor<1x2x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) -> (tensor<1x2x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"x"}]>}) {
  %0 = graph.pool avg_exclude %x window [2] strides [4] pad [1] to [5] dilations [1] : tensor<1x2x6xf32>
  return %0 : tensor<1x2x3xf32>
}

// CHECK-LABEL: func @slice
// CHECK: dist.window %arg0, %{{.*}} dim 0 of 16 places 8 scale 1 divisor 1 first 3 last 3 over <@m, {"x"}> : tensor<4x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT: return
func.func @slice(%x: tensor<16x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) {
  %0 = graph.slice %x from [3, 0] to [11, 3] by [1, 1] : tensor<16x3xf32>
  return %0 : tensor<8x3xf32>
}

// The value is what windows are filled with.
// CHECK-LABEL: func @pad
// CHECK-NEXT: dist.window %arg0, %arg1 dim 0 of 8 places 12 scale 1 divisor 1 first -3 last -3 over <@m, {"x"}> : tensor<2x3xf32>, tensor<f32> -> tensor<3x3xf32>
// CHECK-NEXT: graph.pad %{{.*}}, %arg1 low [0, 1] high [0, 0] : tensor<3x3xf32>
func.func @pad(%x: tensor<8x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}, %v: tensor<f32>) -> (tensor<12x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) {
  %0 = graph.pad %x, %v low [3, 1] high [1, 0] : tensor<8x3xf32>, tensor<f32>
  return %0 : tensor<12x4xf32>
}

// CHECK-LABEL: func @reverse
// CHECK: dist.window %arg0, %{{.*}} dim 0 of 7 places 7 scale -1 divisor 1 first 6 last 6 over <@m, {"x"}> : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT: graph.reverse %{{.*}} dims [0] : tensor<2x3xf32>
func.func @reverse(%a: tensor<7x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<7x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) {
  %0 = graph.reverse %a dims [0] : tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// A roll sends each row to one neighbour; no rank has more than its part (conformance case 8).
// CHECK-LABEL: func @roll
// CHECK-NOT: dist.all_gather
// CHECK: dist.window %arg0, %{{.*}} dim 0 of 8 places 7 scale 1 divisor 1 first 1 last 1 over <@m, {"x", "y"}> : tensor<1x8xf32>
// CHECK-NOT: dist.all_gather
// CHECK: graph.select
// CHECK-NEXT: return
func.func @roll(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = graph.slice %x from [0, 0] to [1, 8] by [1, 1] : tensor<8x8xf32>
  %1 = graph.slice %x from [1, 0] to [8, 8] by [1, 1] : tensor<8x8xf32>
  %2 = graph.concat %1, %0 dim 0 : tensor<7x8xf32>, tensor<1x8xf32>
  return %2 : tensor<8x8xf32>
}
