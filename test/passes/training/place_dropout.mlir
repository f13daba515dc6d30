// DEFINE: %{place} = shard-opt %s --training-place-dropout
// RUN: %{place} 2>&1 | FileCheck %s
// RUN: %{place}='rules=*=0' 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %{place}='rules=/first=0.25 rules=/second*=0.5' 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: not %{place}='rules=/first' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %{place}='rules=/first=1' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %{place}='rules=/first=-0.1' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %{place}='rules=/first=nan' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %{place}='rules=[=0.5' 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not %{place}='rules=/third=0.5' 2>&1 | FileCheck %s --check-prefix=MATCH
// RUN: not %{place}='rules=/first=0' 2>&1 | FileCheck %s --check-prefix=EFFECT

// Seeds of equal ones differ; what only training activates is told of.
// CHECK: warning: 1 Dropout node of a model for inference drop out in train_step, "/second_1" the first; --dropout GLOB=RATIO sets them, 0 turns them off
// CHECK-LABEL: func.func @forward
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed [[A:[0-9]+]] active : tensor<4x2xf32>
// CHECK-NOT: seed [[A]]
// CHECK: graph.dropout %{{.*}} ratio 1.000000e-01 seed {{[0-9]+}} : tensor<4x2xf32>

// OFF-NOT: warning
// OFF-LABEL: func.func @forward
// OFF-NOT: graph.dropout

// Of two rules for a node the last counts. What leaves a node is dropped out of, not what stays in it, nor a constant.
// PLACED-NOT: warning
// PLACED-LABEL: func.func @forward
// PLACED: graph.constant
// PLACED-NEXT: graph.contract
// PLACED-NEXT: %[[FIRST:.*]] = graph.unary tanh
// PLACED-NEXT: %[[DROPPED:.*]] = graph.dropout %[[FIRST]] ratio 2.500000e-01 seed {{[0-9]+}} : tensor<4x2xf32>
// PLACED-NEXT: graph.binary add %[[DROPPED]]
// PLACED: graph.dropout %{{.*}} ratio 5.000000e-01 seed {{[0-9]+}} active
// PLACED: graph.dropout %{{.*}} ratio 5.000000e-01

// FORM: error: dropout "/first{{.*}}" is not of the form GLOB=RATIO, the ratio in [0, 1)
// GLOB: error: dropout "[=0.5": invalid glob pattern
// MATCH: error: dropout "/third=0.5" matches no node that makes floats; there are "/first", "/add", "/second", "/second_1"
// EFFECT: error: dropout "/first=0" has no effect: nothing that it matches drops out
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "w"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %c = graph.constant dense<1.0> : tensor<4x2xf32> loc("/first")
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32> loc("/first")
  %1 = graph.unary tanh %0 : tensor<4x2xf32> loc("/first")
  %2 = graph.binary add %1, %c : tensor<4x2xf32> loc("/add")
  %3 = graph.dropout %2 ratio 0.1 seed 7 active : tensor<4x2xf32> loc("/second")
  %4 = graph.dropout %3 ratio 0.1 seed 7 : tensor<4x2xf32> loc("/second_1")
  return %4 : tensor<4x2xf32>
}
