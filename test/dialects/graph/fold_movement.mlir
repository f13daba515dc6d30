// RUN: shard-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @reshape
func.func @reshape() -> tensor<2x3xi64> {
  %x = graph.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
  // CHECK{LITERAL}: graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %a = graph.reshape %x : tensor<6xi64> -> tensor<2x3xi64>
  return %a : tensor<2x3xi64>
}

// CHECK-LABEL: func @transpose
func.func @transpose() -> (tensor<3x2xi64>, tensor<2x2x2xi1>) {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>
  %a = graph.transpose %x by [1, 0] : tensor<2x3xi64>
  %y = graph.constant dense<[[[true, false], [true, true]], [[false, false], [true, false]]]>
      : tensor<2x2x2xi1>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[[true, true], [false, true]], [[false, true], [false, false]]]>
  %b = graph.transpose %y by [0, 2, 1] : tensor<2x2x2xi1>
  return %a, %b : tensor<3x2xi64>, tensor<2x2x2xi1>
}

// CHECK-LABEL: func @broadcast
func.func @broadcast() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<1000x1000xf32>) {
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi32>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  %a = graph.broadcast %x to [1] : tensor<3xi32> -> tensor<2x3xi32>
  %y = graph.constant dense<[[4], [5]]> : tensor<2x1xi32>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[4, 4, 4], [5, 5, 5]]> : tensor<2x3xi32>
  %b = graph.broadcast %y to [0, 1] : tensor<2x1xi32> -> tensor<2x3xi32>
  %z = graph.constant dense<0.5> : tensor<f32>
  // CHECK-DAG: graph.constant dense<5.000000e-01> : tensor<1000x1000xf32>
  %c = graph.broadcast %z to [] : tensor<f32> -> tensor<1000x1000xf32>
  return %a, %b, %c : tensor<2x3xi32>, tensor<2x3xi32>, tensor<1000x1000xf32>
}

// CHECK-LABEL: func @slice
func.func @slice() -> (tensor<2x2xi64>, tensor<0xi64>, tensor<1xi64>) {
  %x = graph.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[5, 7], [9, 11]]> : tensor<2x2xi64>
  %a = graph.slice %x from [1, 1] to [3, 4] by [1, 2] : tensor<3x4xi64>
  %y = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK-DAG: graph.constant dense<> : tensor<0xi64>
  %b = graph.slice %y from [3] to [3] by [1] : tensor<3xi64>
  // CHECK-DAG: graph.constant dense<2> : tensor<1xi64>
  %c = graph.slice %y from [1] to [3] by [9223372036854775807] : tensor<3xi64>
  return %a, %b, %c : tensor<2x2xi64>, tensor<0xi64>, tensor<1xi64>
}

// CHECK-LABEL: func @pad
func.func @pad() -> (tensor<3x4xi64>, tensor<2xi64>) {
  %x = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %v = graph.constant dense<9> : tensor<i64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[9, 1, 2, 9], [9, 3, 4, 9], [9, 9, 9, 9]]> : tensor<3x4xi64>
  %a = graph.pad %x, %v low [0, 1] high [1, 1] : tensor<2x2xi64>, tensor<i64>
  %e = graph.constant dense<> : tensor<0xi64>
  // CHECK-DAG: graph.constant dense<9> : tensor<2xi64>
  %b = graph.pad %e, %v low [1] high [1] : tensor<0xi64>, tensor<i64>
  return %a, %b : tensor<3x4xi64>, tensor<2xi64>
}

// CHECK-LABEL: func @concat
func.func @concat() -> (tensor<4xi64>, tensor<2x3xi64>, tensor<4096x4096xf32>) {
  %x = graph.constant dense<[1, 2]> : tensor<2xi64>
  %y = graph.constant dense<7> : tensor<1xi64>
  // CHECK-DAG: graph.constant dense<[7, 1, 2, 7]> : tensor<4xi64>
  %a = graph.concat %y, %x, %y dim 0 : tensor<1xi64>, tensor<2xi64>, tensor<1xi64>
  %u = graph.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %v = graph.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>
  // CHECK-DAG{LITERAL}: graph.constant dense<[[1, 3, 4], [2, 5, 6]]> : tensor<2x3xi64>
  %b = graph.concat %u, %v dim 1 : tensor<2x1xi64>, tensor<2x2xi64>
  %z = graph.constant dense<0.0> : tensor<2048x4096xf32>
  // CHECK-DAG: graph.constant dense<0.000000e+00> : tensor<4096x4096xf32>
  %c = graph.concat %z, %z dim 0 : tensor<2048x4096xf32>, tensor<2048x4096xf32>
  return %a, %b, %c : tensor<4xi64>, tensor<2x3xi64>, tensor<4096x4096xf32>
}

// CHECK-LABEL: func @reverse
func.func @reverse() -> tensor<2x3xi64> {
  %x = graph.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  // CHECK{LITERAL}: graph.constant dense<[[5, 4, 3], [2, 1, 0]]> : tensor<2x3xi64>
  %a = graph.reverse %x dims [1, 0] : tensor<2x3xi64>
  return %a : tensor<2x3xi64>
}
