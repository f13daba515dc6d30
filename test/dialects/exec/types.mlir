// RUN: shard-opt %s | FileCheck %s

// Strides that do not matter are those of the row-major buffer.
// CHECK-LABEL: func private @plain(!exec.buffer<4x8xf32>, !exec.buffer<1x8xf32>, !exec.buffer<0x3xf32>, !exec.buffer<f32>)
func.func private @plain(!exec.buffer<4x8xf32, strides = [8, 1]>, !exec.buffer<1x8xf32, strides = [77, 1]>,
    !exec.buffer<0x3xf32, strides = [5, 5]>, !exec.buffer<f32>)

// CHECK-LABEL: func private @strided(!exec.buffer<8x4xbf16, strides = [1, 8]>, !exec.buffer<4xi1, strides = [-1]>)
func.func private @strided(!exec.buffer<8x4xbf16, strides = [1, 8]>, !exec.buffer<4xi1, strides = [-1]>)

// CHECK-LABEL: func private @layouts(!exec.buffer<8x8xf32, packed = 256>, !exec.buffer<4xf32, host>)
func.func private @layouts(!exec.buffer<8x8xf32, packed = 256>, !exec.buffer<4xf32, host>)
