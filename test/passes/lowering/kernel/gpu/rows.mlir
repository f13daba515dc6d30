// RUN: shard-compile %s --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf ptx | FileCheck %s

// CHECK-NOT: .local

// A warp takes a row of 768 elements of bf16: each thread keeps 3 times 16 bytes of it in registers, which
// are read once and written once. Maximum and sum take 5 exchanges each.
// CHECK-LABEL: .entry cluster_0(
// CHECK: .maxntid 128
// CHECK-COUNT-3: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-10: shfl.sync.bfly.b32
// CHECK-NOT: bar.sync
// CHECK-COUNT-3: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;

// A block takes a row of 8192 elements of f32, in registers too; warps meet in shared memory.
// CHECK-LABEL: .entry cluster_1(
// CHECK: .maxntid 512
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.shared.b32
// CHECK: bar.sync
// CHECK: ld.shared.b32
// CHECK: bar.sync
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;

// A row of 100000 elements does not stay: each of the three passes reads it again.
// CHECK-LABEL: .entry cluster_2(
// CHECK: ld.global.nc.v4.b32
// CHECK: bar.sync
// CHECK: ld.global.nc.v4.b32
// CHECK: bar.sync
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ret;

func.func @main(%short: tensor<4096x768xbf16> {graph.input = "short"},
                %middle: tensor<2048x8192xf32> {graph.input = "middle"},
                %long: tensor<512x100000xf32> {graph.input = "long"})
    -> (tensor<4096x768xbf16> {graph.output = "a"}, tensor<2048x8192xf32> {graph.output = "b"},
        tensor<512x100000xf32> {graph.output = "c"}) {
  %a = graph.softmax %short dim 1 : tensor<4096x768xbf16>
  %b = graph.softmax %middle dim 1 : tensor<2048x8192xf32>
  %c = graph.softmax %long dim 1 : tensor<512x100000xf32>
  return %a, %b, %c : tensor<4096x768xbf16>, tensor<2048x8192xf32>, tensor<512x100000xf32>
}
