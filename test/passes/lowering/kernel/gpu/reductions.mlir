// RUN: shard-compile %s --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf ptx | FileCheck %s

// No sum is made of atomic additions of floats: its order would change from run to run.
// CHECK-NOT: atom{{.*}}.f32
// CHECK-NOT: red{{.*}}.f32

// Neighbouring threads take neighbouring columns, 16 bytes each. Blocks share the rows; the last one to
// end combines what all have left in memory.
// CHECK-LABEL: .entry cluster_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK: st.global.v4.b32
// CHECK: bar.sync
// CHECK: fence.acq_rel.gpu
// CHECK: atom.global.add.u32
// CHECK: fence.acq_rel.gpu
// CHECK: bar.sync
// CHECK: ld.global.v4.b32
// CHECK: ret;

// The sum of squares of a whole tensor.
// CHECK-LABEL: .entry cluster_1(
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: atom.global.add.u32
// CHECK: ret;

func.func @main(%grad: tensor<8192x4096xbf16> {graph.input = "grad"},
                %weight: tensor<2048x8192xf32> {graph.input = "weight"})
    -> (tensor<4096xbf16> {graph.output = "bias"}, tensor<f32> {graph.output = "norm"}) {
  %bias = graph.reduce sum %grad over [0] : tensor<8192x4096xbf16>
  %squares = graph.binary mul %weight, %weight : tensor<2048x8192xf32>
  %norm = graph.reduce sum %squares over [0, 1] : tensor<2048x8192xf32>
  return %bias, %norm : tensor<4096xbf16>, tensor<f32>
}
