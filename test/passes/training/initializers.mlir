// DEFINE: %{step} = shard-opt %s --training-build-step
// RUN: %{step}='loss=output:s init=*=normal(0.25) init=b=zeros init=filter=kaiming_normal' | FileCheck %s
// RUN: not %{step}='loss=output:s init=w' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %{step}='loss=output:s init=w=normal' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not %{step}='loss=output:s init=w=normal(-1)' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not %{step}='loss=output:s init=w=normal(nan)' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not %{step}='loss=output:s init=v=ones' 2>&1 | FileCheck %s --check-prefix=MATCH
// RUN: not %{step}='loss=output:s init=b=xavier_uniform' 2>&1 | FileCheck %s --check-prefix=FANS

// First values are computed by a program of their own; those of the model are dropped. Of a parameter the last rule
// counts, and integers have none.
// CHECK-LABEL: func.func @prepare(
// CHECK-SAME: tensor<3x2xf32> {graph.kept, graph.parameter = "w"}
// CHECK-NOT: "n"
// CHECK-DAG: graph.random normal seed {{[0-9]+}}(0.0{{.*}}, 2.5{{.*}}) : tensor<3x2xf32>
// CHECK-DAG: graph.constant dense<0.0{{.*}}> : tensor<2xf32>
// CHECK-DAG: graph.random normal seed {{[0-9]+}}(0.0{{.*}}, 5.0{{.*}}) : tensor<4x2x2x2xf32>
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: tensor<3x2xf32> {graph.kept, graph.parameter = "w"}
// CHECK-SAME: tensor<i64> {graph.kept, graph.parameter = "n", graph.source
// FORM: error: init "w" is not of the form GLOB=RULE
// RULE: error: initializer "{{normal|normal\(-1\)|normal\(nan\)}}" is unknown; there are normal(S), uniform(S), xavier_uniform, kaiming_normal, zeros and ones
// MATCH: error: parameters of init: "v" matches no parameter; there are "w", "b", "n", "filter"
// FANS: error: initializer xavier_uniform of "b", which is no weight of a product or convolution; give it normal(S) or uniform(S)
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %image: tensor<4x2x3x3xf32> {graph.input = "image"},
    %w: tensor<3x2xf32> {graph.parameter = "w", graph.source = dense<1.0> : tensor<3x2xf32>},
    %b: tensor<2xf32> {graph.parameter = "b"}, %n: tensor<i64> {graph.parameter = "n", graph.source = dense<1> : tensor<i64>},
    %filter: tensor<4x2x2x2xf32> {graph.parameter = "filter"}) -> (tensor<f32> {graph.output = "s"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.broadcast %b to [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = graph.binary mul %0, %1 : tensor<4x2xf32>
  %3 = graph.reduce sum %2 over [0, 1] : tensor<4x2xf32>
  %4 = graph.conv %image, %filter strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1
      : tensor<4x2x3x3xf32>, tensor<4x2x2x2xf32>
  %5 = graph.reduce sum %4 over [0, 1, 2, 3] : tensor<4x4x2x2xf32>
  %6 = graph.binary add %3, %5 : tensor<f32>
  return %6 : tensor<f32>
}
