// RUN: split-file %s %t
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/no_match.yaml 2>&1 | FileCheck %s --check-prefix=NO_MATCH
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/rank.yaml 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/axis.yaml 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/twice.yaml 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/regex.yaml 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/key.yaml 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/neither.yaml 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/unquoted.yaml 2>&1 | FileCheck %s --check-prefix=UNQUOTED
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/empty.yaml 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/none.yaml 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=llama 2>&1 | FileCheck %s --check-prefix=BUILT_IN
// RUN: not shard-opt %t/no_mesh.mlir -sharding-apply-rules=file=llama 2>&1 | FileCheck %s --check-prefix=NO_MESH

// NO_MATCH: no_match.yaml:3:1: error: rule "^y$" matches no parameter, input, state, output or node that earlier rules and simplification leave
// RANK: rank.yaml:1:1: error: rule "x" has 1 dims, input "x" is 'tensor<4x8xf32>'
// AXIS: axis.yaml:1:1: error: rule "x" names axis "tensor", which mesh #dist.mesh<["data"=2]> lacks
// TWICE: twice.yaml:1:1: error: rule "x" names axis "data" twice
// REGEX: error: {{.*}}regex.yaml:2: "x(" is no regular expression: parentheses not balanced
// KEY: error: {{.*}}key.yaml:1: unknown key 'kind'
// NEITHER: error: {{.*}}neither.yaml:1: a rule has a name and one of axes, columns and rows
// UNQUOTED: error: {{.*}}unquoted.yaml:1: {{.*}}; write ? in quotes: "?"
// EMPTY: error: {{.*}}empty.yaml: there are no rules in it
// NONE: error: can't read rules "{{.*}}none.yaml": No such file or directory; built-in sets are bert, gpt2, llama, mixtral, vit
// BUILT_IN: error: rule set llama knows no name in this model; its parameters are named like "w"
// NO_MESH: error: there is no mesh to shard over; give one: --mesh data=2,tensor=2

//--- model.mlir
dist.mesh @m <["data"=2]>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8xf32> {graph.parameter = "w"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- no_mesh.mlir
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- no_match.yaml
- {name: x, axes: [[data], []]}

- {name: ^y$, axes: [[data]]}
//--- rank.yaml
- {name: x, axes: [[data]]}
//--- axis.yaml
- {name: x, axes: [[data], [tensor]]}
//--- twice.yaml
- {name: x, axes: [[data], [data]]}
//--- regex.yaml
# A comment.
- {name: 'x(', axes: [[data], []]}
//--- key.yaml
- {name: x, axes: [[data], []], kind: any}
//--- neither.yaml
- {name: x}
//--- unquoted.yaml
- {name: x, axes: [[data], ?]}
//--- empty.yaml
