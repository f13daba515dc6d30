// RUN: split-file %s %t
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/no_match.yaml 2>&1 | FileCheck %s --check-prefix=NO_MATCH
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/rank.yaml 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/axis.yaml 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/twice.yaml 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/regex.yaml 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/key.yaml 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/neither.yaml 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/patterns.yaml 2>&1 | FileCheck %s --check-prefix=PATTERNS
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/glob.yaml 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not shard-opt %t/model.mlir '-sharding-apply-rules=file="job.yaml:7: [{glob: no*, axes: [data]}]"' 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not shard-opt %t/model.mlir '-sharding-apply-rules=file="job.yaml:7: [{kind: no}]"' 2>&1 | FileCheck %s --check-prefix=TEXT-FORM
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/unquoted.yaml 2>&1 | FileCheck %s --check-prefix=UNQUOTED
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/empty.yaml 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/none.yaml 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/documents.yaml 2>&1 | FileCheck %s --check-prefix=DOCUMENTS
// RUN: %python -c "print('- {name: ' + 'x' * 1001 + ', axes: [[data]]}')" > %t/long.yaml
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/long.yaml 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/repeats.yaml 2>&1 | FileCheck %s --check-prefix=REPEATS
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/back.yaml 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/covered.yaml,%t/rule_of_x.yaml 2>&1 | FileCheck %s --check-prefix=COVERED
// RUN: %python -c "print('- {name: x, axes: ' + '[' * 100000)" > %t/deep.yaml
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/deep.yaml 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: %python -c "print('- ' * 100000)" > %t/entries.yaml
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/entries.yaml 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: %python -c "print('{' + '? ' * 100000)" > %t/keys.yaml
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/keys.yaml 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: %python -c "print('- {name: x, axes: [[data], []]}\n' * 40000)" > %t/large.yaml
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=%t/large.yaml 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=/dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not shard-opt %t/model.mlir -sharding-apply-rules=file=llama 2>&1 | FileCheck %s --check-prefix=BUILT_IN
// RUN: not shard-opt %t/no_mesh.mlir -sharding-apply-rules=file=llama 2>&1 | FileCheck %s --check-prefix=NO_MESH

// NO_MATCH: no_match.yaml:3:1: error: rule "^y$" matches no parameter, input, state, output or node that earlier rules and simplification leave
// RANK: rank.yaml:1:1: error: rule "x" has 1 dims, input "x" is 'tensor<4x8xf32>'
// AXIS: axis.yaml:1:1: error: rule "x" names axis "tensor", which mesh data=2 lacks
// TWICE: twice.yaml:1:1: error: rule "x" names axis "data" twice
// REGEX: error: {{.*}}regex.yaml:2: "x(" is no regular expression: parentheses not balanced
// KEY: error: {{.*}}key.yaml:1: unknown key 'kind'
// NEITHER: error: {{.*}}neither.yaml:1: a rule has a name or a glob, and one of axes, columns and rows
// PATTERNS: error: {{.*}}patterns.yaml:1: a rule has a name or a glob, and one of axes, columns and rows
// GLOB: error: {{.*}}glob.yaml:1: "x[": invalid glob pattern, unmatched '['
// TEXT: job.yaml:7:1: error: rule "no*" matches no parameter
// TEXT-FORM: error: job.yaml:7: a rule has a name or a glob, and one of axes, columns and rows
// UNQUOTED: error: {{.*}}unquoted.yaml:1: {{.*}}; write ? in quotes: "?"
// EMPTY: error: {{.*}}empty.yaml: there are no rules in it
// NONE: error: can't read rules "{{.*}}none.yaml": No such file or directory; built-in sets are bert, gpt2, llama, mixtral, vit
// DOCUMENTS: error: {{.*}}documents.yaml:3: a second YAML document begins; put all rules into one list
// LONG: error: {{.*}}long.yaml:1: a name has 1{{[0-9]+}} characters, at most 1000 are taken
// REPEATS: error: {{.*}}repeats.yaml:1: "(([)]x{99}){9}){9}" repeats too much: written out it has more than 5000 characters
// BACK: error: {{.*}}back.yaml:1: "(x)\1" has a back reference, which rules don't take
// COVERED: rule_of_x.yaml:1:1: error: rule "x" matches no parameter, input, state, output or node that earlier rules
// DEEP: error: {{.*}}.yaml:1: values are nested too deep; rules are a list of {name: REGEX, axes: {{.*}}}
// LARGE: error: {{.*}}large.yaml: has 1{{[0-9]+}} bytes, rules at most 1048576
// DEVICE: error: can't read rules "/dev/zero": it is a device
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
//--- documents.yaml
- {name: x, axes: [[data], []]}
---
- {name: w, axes: [[data]]}
//--- repeats.yaml
- {name: '(([)]x{99}){9}){9}', axes: [[data], []]}
//--- back.yaml
- {name: '(x)\1', axes: [[data], []]}
//--- covered.yaml
- {name: x, axes: [_, _]}
//--- rule_of_x.yaml
- {name: x, axes: [[data], []]}
//--- key.yaml
- {name: x, axes: [[data], []], kind: any}
//--- patterns.yaml
- {name: x, glob: x, axes: [[data], []]}
//--- glob.yaml
- {glob: 'x[', axes: [[data], []]}
//--- neither.yaml
- {name: x}
//--- unquoted.yaml
- {name: x, axes: [[data], ?]}
//--- empty.yaml
