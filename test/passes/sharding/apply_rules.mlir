// RUN: split-file %s %t
// RUN: shard-opt %t/model.mlir -sharding-apply-rules=file=%t/rules.yaml | FileCheck %t/model.mlir
// RUN: shard-opt %t/several.mlir -sharding-apply-rules=file=%t/own.yaml,gpt2 | FileCheck %t/several.mlir
// RUN: shard-opt %t/text.mlir '-sharding-apply-rules=file="[{glob: w, axes: [data, []]}]"' | FileCheck %t/text.mlir
// RUN: shard-opt %t/gpt2.mlir -sharding-apply-rules=file=gpt2 | FileCheck %t/gpt2.mlir

//--- rules.yaml
- name: ^ids$
  axes: [[data], _]
- {name: 'wte', axes: [[tensor], []]}
# The first rule that matches counts.
- {name: 'wte|w2', rows: [tensor]}
- {name: 'given', axes: [[tensor], [data, '_']]}
- {glob: '/fc/*', columns: [tensor]}
# A glob is of all of the name.
- {glob: 'y*', axes: [data, "?", [tensor]]}

//--- own.yaml
- {name: '[.]wte[.]', axes: [[], [tensor]]}

//--- several.mlir
dist.mesh @m <["data"=2, "tensor"=2]>
// The table is as the first file says, the rest as the second.
// CHECK-LABEL: func @several
// CHECK-SAME: %arg0: tensor<2x7xi64> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>
// CHECK-SAME: %arg1: tensor<32x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"tensor"}]>
func.func @several(%ids: tensor<2x7xi64> {graph.input = "input_ids"},
    %wte: tensor<32x8xf32> {graph.parameter = "transformer.wte.weight"}) -> (tensor<2x7x8xf32> {graph.output = "y"}) {
  %0 = graph.gather %wte, %ids dim 0 batch 0 : tensor<32x8xf32>, tensor<2x7xi64>
  return %0 : tensor<2x7x8xf32>
}

//--- text.mlir
dist.mesh @m <["data"=2]>
// CHECK-LABEL: func @text
// CHECK-SAME: %arg0: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {}]>, graph.input = "w"}
// CHECK-SAME: %arg1: tensor<4x8xf32> {graph.input = "w2"}
func.func @text(%a: tensor<4x8xf32> {graph.input = "w"}, %b: tensor<4x8xf32> {graph.input = "w2"}) -> (tensor<4x8xf32> {graph.output = "y"}) {
  %0 = graph.binary add %a, %b : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- model.mlir
dist.mesh @m <["data"=2, "tensor"=2]>
// CHECK-LABEL: func @model
// CHECK-SAME: %arg0: tensor<2x7xi64> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>, graph.input = "ids"}
// CHECK-SAME: %arg1: tensor<32x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor"}, {}]>, graph.parameter = "wte"}
// CHECK-SAME: %arg2: tensor<8x16xf32> {graph.parameter = "w1"}
// CHECK-SAME: %arg3: tensor<16x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "w2"}
// What is given stays; the free dim is filled without the axis that the other has.
// CHECK-SAME: %arg4: tensor<4x4xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>, graph.state = "given"}
// CHECK-SAME: -> (tensor<2x7x8xf32> {dist.sharding = #dist.sharding<@m, [{"data"}, {?}, {"tensor"}]>, graph.output = "y"})
func.func @model(%ids: tensor<2x7xi64> {graph.input = "ids"}, %wte: tensor<32x8xf32> {graph.parameter = "wte"},
    %w1: tensor<8x16xf32> {graph.parameter = "w1"}, %w2: tensor<16x8xf32> {graph.parameter = "w2"},
    %given: tensor<4x4xf32> {graph.state = "given", dist.sharding = #dist.sharding<@m, [{"data"}, {?}]>}) -> (tensor<2x7x8xf32> {graph.output = "y"}) {
  %0 = graph.gather %wte, %ids dim 0 batch 0 : tensor<32x8xf32>, tensor<2x7xi64>
  // CHECK: %[[FC:.*]] = graph.contract
  // CHECK-NEXT: dist.constraint %[[FC]] <@m, [{?}, {?}, {"tensor", ?}]>
  %1 = graph.contract %0, %w1 batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x16xf32>) -> tensor<2x7x16xf32> loc("/fc/Gemm")
  %2 = graph.contract %1, %w2 batch [] x [] over [2] x [0] : (tensor<2x7x16xf32>, tensor<16x8xf32>) -> tensor<2x7x8xf32>
  return %2 : tensor<2x7x8xf32>
}

//--- gpt2.mlir
dist.mesh @m <["tensor"=2]>
// Axis data is not there: the batch is left alone. The transposed table is a weight of the last product,
// but its rows are those of the lookup.
// CHECK-LABEL: func @gpt2
// CHECK-SAME: %arg0: tensor<2x7xi64> {graph.input = "input_ids"}
// CHECK-SAME: %arg1: tensor<32x8xf32> {dist.sharding = #dist.sharding<@m, [{"tensor", ?}, {?}]>, graph.parameter = "transformer.wte.weight"}
// CHECK-NOT: dist.constraint
func.func @gpt2(%ids: tensor<2x7xi64> {graph.input = "input_ids"},
    %wte: tensor<32x8xf32> {graph.parameter = "transformer.wte.weight"}) -> (tensor<2x7x32xf32> {graph.output = "logits"}) {
  %0 = graph.gather %wte, %ids dim 0 batch 0 : tensor<32x8xf32>, tensor<2x7xi64>
  %1 = graph.transpose %wte by [1, 0] : tensor<32x8xf32>
  %2 = graph.contract %0, %1 batch [] x [] over [2] x [0] : (tensor<2x7x8xf32>, tensor<8x32xf32>) -> tensor<2x7x32xf32>
  return %2 : tensor<2x7x32xf32>
}
