// RUN: split-file %s %t
// RUN: shard-opt %t/batch.mlir -sharding-strategy=strategy=dp | FileCheck %t/batch.mlir
// RUN: shard-opt %t/block.mlir -sharding-strategy=strategy=tp | FileCheck %t/block.mlir --check-prefixes=CHECK,TP
// RUN: shard-opt %t/block.mlir -sharding-strategy=strategy=tp,sp | FileCheck %t/block.mlir --check-prefixes=CHECK,SP
// RUN: shard-opt %t/dropped.mlir -sharding-strategy=strategy=tp | FileCheck %t/dropped.mlir
// RUN: shard-opt %t/heads.mlir -sharding-strategy=strategy=tp 2>&1 | FileCheck %t/heads.mlir
// RUN: shard-opt %t/tables.mlir -sharding-strategy=strategy=tp | FileCheck %t/tables.mlir

//--- batch.mlir
dist.mesh @m <["data"=2]>
// Inputs of the batch of the first one, nothing else; what is given stays.
// CHECK-LABEL: func @batch
// CHECK-SAME: %arg0: tensor<4x7xi64> {dist.sharding = #dist.sharding<@m, [{"data", ?}, {?}]>
// CHECK-SAME: %arg1: tensor<4xi64> {dist.sharding = #dist.sharding<@m, [{"data", ?}]>
// CHECK-SAME: %arg2: tensor<7x4xi64> {graph.input = "positions"}
// CHECK-SAME: %arg3: tensor<4x7xi64> {dist.sharding = #dist.sharding<@m, [{}, {?}]>
// CHECK-SAME: %arg4: tensor<4x7xi64> {graph.parameter = "w"}
func.func @batch(%a: tensor<4x7xi64> {graph.input = "ids"}, %b: tensor<4xi64> {graph.input = "lengths"}, %c: tensor<7x4xi64> {graph.input = "positions"},
    %d: tensor<4x7xi64> {graph.input = "whole", dist.sharding = #dist.sharding<@m, [{}, {?}]>}, %e: tensor<4x7xi64> {graph.parameter = "w"}) -> tensor<4x7xi64> {
  return %a : tensor<4x7xi64>
}

//--- block.mlir
dist.mesh @m <["tensor"=2]>
// The columns before heads, heads, the rows after them, and the hidden dim of two products; between products, with sp, the sequence.
// CHECK-LABEL: func @block
// CHECK-SAME: %arg1: tensor<8x8xf32> {graph.parameter = "q"}
// CHECK-SAME: %arg2: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "o"}
// CHECK-SAME: %arg3: tensor<8x16xf32> {graph.parameter = "up"}
// CHECK-SAME: %arg4: tensor<16x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "down"}
// CHECK: %[[QUERY:.*]] = graph.contract %arg0, %arg1
// CHECK-NEXT: dist.constraint %[[QUERY]] <@m, [{?}, {?}, {"tensor", ?}]>
// CHECK: %[[Q:.*]] = graph.transpose
// CHECK-NEXT: dist.constraint %[[Q]] <@m, [{?}, {"tensor", ?}, {?}, {?}]>
// CHECK: %[[X:.*]] = graph.contract {{.*}}, %arg2
// SP-NEXT: %[[N:.*]] = dist.constraint %[[X]] <@m, [{?}, {"tensor", ?}, {?}]>
// SP-NEXT: graph.rms_norm %[[N]]
// TP-NEXT: graph.rms_norm %[[X]]
// CHECK-NEXT: %[[UP:.*]] = graph.contract
// CHECK-NEXT: dist.constraint %[[UP]] <@m, [{?}, {?}, {"tensor", ?}]>
// CHECK: graph.contract
// CHECK-NEXT: return
func.func @block(%x: tensor<2x7x8xf32> {graph.input = "x"}, %q: tensor<8x8xf32> {graph.parameter = "q"}, %o: tensor<8x8xf32> {graph.parameter = "o"},
    %up: tensor<8x16xf32> {graph.parameter = "up"}, %down: tensor<16x8xf32> {graph.parameter = "down"}, %scale: tensor<8xf32> {graph.parameter = "scale"}) -> tensor<2x7x8xf32> {
  %0 = graph.contract %x, %q batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x8xf32>) -> tensor<2x7x8xf32>
  %1 = graph.reshape %0 : tensor<2x7x8xf32> -> tensor<2x7x4x2xf32>
  %2 = graph.transpose %1 by [0, 2, 1, 3] : tensor<2x7x4x2xf32>
  %3 = graph.attention %2, %2, %2 scale 1.0 causal : tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>
  %4 = graph.transpose %3 by [0, 2, 1, 3] : tensor<2x4x7x2xf32>
  %5 = graph.reshape %4 : tensor<2x7x4x2xf32> -> tensor<2x7x8xf32>
  %6 = graph.contract %5, %o batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x8xf32>) -> tensor<2x7x8xf32>
  %7 = graph.rms_norm %6 scale %scale axis 2 epsilon 1.0e-5 : tensor<2x7x8xf32>, tensor<8xf32>
  %8 = graph.contract %7, %up batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x16xf32>) -> tensor<2x7x16xf32>
  %9 = graph.unary silu %8 : tensor<2x7x16xf32>
  %10 = graph.contract %9, %down batch [] x [] over [2] x [0] : (tensor<2x7x16xf32>, tensor<16x8xf32>) -> tensor<2x7x8xf32>
  return %10 : tensor<2x7x8xf32>
}

//--- dropped.mlir
dist.mesh @m <["tensor"=2]>
// Attention in primitives, since its weights drop out, has heads too: queries, keys and values by columns, what reads the
// result by rows. A softmax between products without heads is none.
// CHECK-LABEL: func @dropped
// CHECK-SAME: %arg2: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "o"}
// CHECK: %[[Q:.*]] = graph.contract %arg0, %arg1
// CHECK-NEXT: dist.constraint %[[Q]] <@m, [{?}, {?}, {"tensor", ?}]>
// CHECK: %[[H:.*]] = graph.reshape
// CHECK-NEXT: dist.constraint %[[H]] <@m, [{?}, {?}, {"tensor", ?}, {?}]>
// CHECK: graph.softmax
// CHECK-NOT: dist.constraint
func.func @dropped(%x: tensor<2x7x8xf32> {graph.input = "x"}, %q: tensor<8x8xf32> {graph.parameter = "q"}, %o: tensor<8x8xf32> {graph.parameter = "o"},
    %mask: tensor<2x4x7x7xf32> {graph.input = "mask"}) -> (tensor<2x7x8xf32>, tensor<2x7x8xf32>) {
  %0 = graph.contract %x, %q batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x8xf32>) -> tensor<2x7x8xf32>
  %1 = graph.reshape %0 : tensor<2x7x8xf32> -> tensor<2x7x4x2xf32>
  %2 = graph.contract %1, %1 batch [0, 2] x [0, 2] over [3] x [3] : (tensor<2x7x4x2xf32>, tensor<2x7x4x2xf32>) -> tensor<2x4x7x7xf32>
  %3 = graph.binary add %2, %mask : tensor<2x4x7x7xf32>
  %4 = graph.softmax %3 dim 3 : tensor<2x4x7x7xf32>
  %5 = graph.dropout %4 ratio 0.1 seed 1 : tensor<2x4x7x7xf32>
  %6 = graph.contract %5, %1 batch [0, 1] x [0, 2] over [3] x [1] : (tensor<2x4x7x7xf32>, tensor<2x7x4x2xf32>) -> tensor<2x4x7x2xf32>
  %7 = graph.transpose %6 by [0, 2, 1, 3] : tensor<2x4x7x2xf32>
  %8 = graph.reshape %7 : tensor<2x7x4x2xf32> -> tensor<2x7x8xf32>
  %9 = graph.contract %8, %o batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x8xf32>) -> tensor<2x7x8xf32>
  %10 = graph.contract %x, %x batch [0] x [0] over [2] x [2] : (tensor<2x7x8xf32>, tensor<2x7x8xf32>) -> tensor<2x7x7xf32>
  %11 = graph.softmax %10 dim 2 : tensor<2x7x7xf32>
  %12 = graph.contract %11, %x batch [0] x [0] over [2] x [1] : (tensor<2x7x7xf32>, tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  return %9, %12 : tensor<2x7x8xf32>, tensor<2x7x8xf32>
}

//--- heads.mlir
dist.mesh @m <["tensor"=3]>
// Heads that don't divide are cut with a warning; grouped ones that don't are computed by all.
// CHECK: warning: {{.*}}4 heads are cut into 3 parts: some ranks have more than others
// CHECK: warning: {{.*}}4 heads in 2 groups can't be cut into 3 parts; every rank computes all of them
// CHECK-LABEL: func @heads
// CHECK-SAME: %arg0: tensor<2x4x7x2xf32> {dist.sharding = #dist.sharding<@m, [{?}, {"tensor", ?}, {?}, {?}]>
// CHECK-SAME: %arg1: tensor<2x4x7x2xf32> {graph.input = "grouped"}
func.func @heads(%x: tensor<2x4x7x2xf32> {graph.input = "x"}, %grouped: tensor<2x4x7x2xf32> {graph.input = "grouped"}, %keys: tensor<2x2x7x2xf32> {graph.input = "keys"}) -> (tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>) {
  %0 = graph.attention %x, %x, %x scale 1.0 : tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>
  %1 = graph.attention %grouped, %keys, %keys scale 1.0 : tensor<2x4x7x2xf32>, tensor<2x2x7x2xf32>, tensor<2x2x7x2xf32>
  return %0, %1 : tensor<2x4x7x2xf32>, tensor<2x4x7x2xf32>
}

//--- tables.mlir
dist.mesh @m <["tensor"=2]>
// Large tables that inputs select from and large outputs; not positions, not types, not small outputs. A
// weight that is sliced stays whole.
// CHECK-LABEL: func @tables
// CHECK-SAME: %arg1: tensor<32x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "tokens"}
// CHECK-SAME: %arg2: tensor<32x8xf32> {graph.parameter = "positions"}
// CHECK-SAME: %arg3: tensor<2x8xf32> {graph.parameter = "types"}
// CHECK-SAME: %arg4: tensor<8x64xf32> {dist.sharding = #dist.sharding<@m, [{?}, {}]>, graph.parameter = "head"}
// CHECK: %[[LOGITS:.*]] = graph.contract
// CHECK-NEXT: dist.constraint %[[LOGITS]] <@m, [{?}, {?}, {"tensor", ?}]>
// CHECK: %[[SMALL:.*]] = graph.contract
// CHECK-NOT: dist.constraint
func.func @tables(%ids: tensor<2x7xi64> {graph.input = "ids"}, %tokens: tensor<32x8xf32> {graph.parameter = "tokens"}, %positions: tensor<32x8xf32> {graph.parameter = "positions"},
    %types: tensor<2x8xf32> {graph.parameter = "types"}, %head: tensor<8x64xf32> {graph.parameter = "head"}, %small: tensor<8x4xf32> {graph.parameter = "small"}) -> (tensor<2x7x32xf32>, tensor<2x7x4xf32>) {
  %i = graph.iota dim 0 : tensor<7xi64>
  %0 = graph.gather %tokens, %ids dim 0 batch 0 : tensor<32x8xf32>, tensor<2x7xi64>
  %1 = graph.gather %positions, %i dim 0 batch 0 : tensor<32x8xf32>, tensor<7xi64>
  %2 = graph.gather %types, %ids dim 0 batch 0 : tensor<2x8xf32>, tensor<2x7xi64>
  %3 = graph.broadcast %1 to [1, 2] : tensor<7x8xf32> -> tensor<2x7x8xf32>
  %4 = graph.binary add %0, %3 : tensor<2x7x8xf32>
  %5 = graph.binary add %4, %2 : tensor<2x7x8xf32>
  %6 = graph.slice %head from [0, 32] to [8, 64] by [1, 1] : tensor<8x64xf32>
  %7 = graph.contract %5, %6 batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x32xf32>) -> tensor<2x7x32xf32>
  %8 = graph.contract %5, %small batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x4xf32>) -> tensor<2x7x4xf32>
  return %7, %8 : tensor<2x7x32xf32>, tensor<2x7x4xf32>
}
