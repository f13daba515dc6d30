// RUN: shard-compile %s --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf ptx | FileCheck %s

// Nothing of a kernel is in the memory of a thread, and nothing calls a library.
// CHECK-NOT: .local
// CHECK-NOT: call
// CHECK: .target sm_80

// A thread takes 16 bytes: 4 elements of f32, 8 of bf16. Whole blocks need no guard.
// CHECK-LABEL: .entry cluster_0(
// CHECK: .maxntid 256
// CHECK-NOT: bra
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;
// CHECK-LABEL: .entry cluster_1(
// CHECK: ld.global.nc.v4.b32
// CHECK-COUNT-8: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;

// A row that is the same for all others is read in the same way.
// CHECK-LABEL: .entry cluster_2(
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32

// The 3 elements after the last 4 are for a thread each.
// CHECK-LABEL: .entry cluster_3(
// CHECK-DAG: ld.global.nc.v4.b32
// CHECK-DAG: ld.global.nc.b32
// CHECK-DAG: st.global.v4.b32
// CHECK-DAG: st.global.b32
// CHECK: ret;

func.func @main(%x: tensor<64x1024xf32> {graph.input = "x"},
                %y: tensor<64x1024xbf16> {graph.input = "y"},
                %row: tensor<1024xf32> {graph.input = "row"},
                %odd: tensor<1003xf32> {graph.input = "odd"})
    -> (tensor<64x1024xf32> {graph.output = "silu"}, tensor<64x1024xbf16> {graph.output = "gelu"},
        tensor<64x1024xf32> {graph.output = "sum"}, tensor<1003xf32> {graph.output = "exp"}) {
  %silu = graph.unary silu %x : tensor<64x1024xf32>
  %gelu = graph.unary gelu_tanh %y : tensor<64x1024xbf16>
  %rows = graph.broadcast %row to [1] : tensor<1024xf32> -> tensor<64x1024xf32>
  %sum = graph.binary add %x, %rows : tensor<64x1024xf32>
  %exp = graph.unary exp %odd : tensor<1003xf32>
  return %silu, %gelu, %sum, %exp
      : tensor<64x1024xf32>, tensor<64x1024xbf16>, tensor<64x1024xf32>, tensor<1003xf32>
}
