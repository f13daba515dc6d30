// RUN: shard-opt %s --graph-feed-inputs='feeds=mask=ones,ids=arange,on=ones,a=b=-0.5' | FileCheck %s
// RUN: not shard-opt %s --graph-feed-inputs='feeds=w=ones' 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not shard-opt %s --graph-feed-inputs='feeds=mask=two' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not shard-opt %s --graph-feed-inputs='feeds=mask' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not shard-opt %s --graph-feed-inputs='feeds=a=b=arange' 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not shard-opt %s --graph-feed-inputs='feeds=mask=1.5' 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not shard-opt %s --graph-feed-inputs='feeds=on=2' 2>&1 | FileCheck %s --check-prefix=BOOLEAN
// RUN: not shard-opt %s --graph-feed-inputs='feeds=mask=nan' 2>&1 | FileCheck %s --check-prefix=NAN

// CHECK-LABEL: func @forward(
// CHECK-SAME: %arg0: tensor<2x3xf32> {graph.input = "x"}, %arg1: tensor<3xf32> {graph.parameter = "w"})
// CHECK-DAG: %[[MASK:.*]] = graph.constant dense<1> : tensor<2x3xi8>
// CHECK-DAG: %[[IDS:.*]] = graph.iota dim 1 : tensor<2x3xi64>
// CHECK-DAG: %[[ON:.*]] = graph.constant dense<true> : tensor<3xi1>
// CHECK-DAG: %[[A:.*]] = graph.constant dense<-5.0{{.*}}> : tensor<f32>
// CHECK: return %arg0, %[[MASK]], %[[IDS]], %[[ON]], %[[A]], %arg1
// PARAMETER: error: feed: the model has no input "w"; there are "x", "mask", "ids", "on", "a=b"
// RULE: error: feed "{{mask|mask=two}}" is not of the form NAME=ones, zeros, arange or a number
// SCALAR: error: feed: input "a=b" of type 'tensor<f32>' has no dim to count along
// WHOLE: error: feed: 1.5 is no value of input "mask" of type 'tensor<2x3xi8>'
// BOOLEAN: error: feed: 2 is no value of input "on" of type 'tensor<3xi1>'
// NAN: error: feed: nan is no value of input "mask" of type 'tensor<2x3xi8>'
func.func @forward(%x: tensor<2x3xf32> {graph.input = "x"}, %mask: tensor<2x3xi8> {graph.input = "mask"},
    %ids: tensor<2x3xi64> {graph.input = "ids"}, %on: tensor<3xi1> {graph.input = "on"},
    %a: tensor<f32> {graph.input = "a=b"}, %w: tensor<3xf32> {graph.parameter = "w"})
    -> (tensor<2x3xf32>, tensor<2x3xi8>, tensor<2x3xi64>, tensor<3xi1>, tensor<f32>, tensor<3xf32>) {
  return %x, %mask, %ids, %on, %a, %w
      : tensor<2x3xf32>, tensor<2x3xi8>, tensor<2x3xi64>, tensor<3xi1>, tensor<f32>, tensor<3xf32>
}
