// RUN: shard-opt %s --canonicalize | FileCheck %s

// Values are worked out by hand.

// CHECK-LABEL: func @unary_float
func.func @unary_float() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %x = graph.constant dense<[-2.5, -0.5, 0.5, 2.5]> : tensor<4xf32>
  %nan = graph.constant dense<[0x7FC00000, 0.0]> : tensor<2xf32>
  %a = graph.unary round %x : tensor<4xf32>
  %b = graph.unary relu %x : tensor<4xf32>
  %c = graph.unary reciprocal %x : tensor<4xf32>
  %d = graph.unary sign %nan : tensor<2xf32>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[-2.000000e+00, -0.000000e+00, 0.000000e+00, 2.000000e+00]>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[0.000000e+00, 0.000000e+00, 5.000000e-01, 2.500000e+00]>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[-4.000000e-01, -2.000000e+00, 2.000000e+00, 4.000000e-01]>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[0x7FC00000, 0.000000e+00]>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @unary_integer
func.func @unary_integer() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xui8>, tensor<2xi1>) {
  %x = graph.constant dense<[-128, -1, 5]> : tensor<3xi8>
  %u = graph.constant dense<[128, 255, 0]> : tensor<3xui8>
  %p = graph.constant dense<[true, false]> : tensor<2xi1>
  %a = graph.unary abs %x : tensor<3xi8>
  %b = graph.unary sign %x : tensor<3xi8>
  %c = graph.unary not %x : tensor<3xi8>
  %d = graph.unary sign %u : tensor<3xui8>
  %e = graph.unary not %p : tensor<2xi1>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[-128, 1, 5]> : tensor<3xi8>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[-1, -1, 1]> : tensor<3xi8>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[127, 0, -6]> : tensor<3xi8>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[1, 1, 0]> : tensor<3xui8>
  // CHECK-DAG: %[[E:.*]] = graph.constant dense<[false, true]> : tensor<2xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %a, %b, %c, %d, %e : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xui8>, tensor<2xi1>
}

// Division truncates, `mod` has the sign of the divisor, `rem` of the dividend.
// CHECK-LABEL: func @integer_division
func.func @integer_division() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %x = graph.constant dense<[7, -7, 7, -7]> : tensor<4xi32>
  %y = graph.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
  %a = graph.binary div %x, %y : tensor<4xi32>
  %b = graph.binary mod %x, %y : tensor<4xi32>
  %c = graph.binary rem %x, %y : tensor<4xi32>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[2, -2, -2, 2]>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[1, 2, -2, -1]>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[1, -1, 1, -1]>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %a, %b, %c : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func @integers_never_trap
func.func @integers_never_trap() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi32>, tensor<2xi8>) {
  %x = graph.constant dense<[-9223372036854775808, 5]> : tensor<2xi64>
  %y = graph.constant dense<[-1, 0]> : tensor<2xi64>
  %a = graph.binary div %x, %y : tensor<2xi64>
  %b = graph.binary mod %x, %y : tensor<2xi64>
  %s = graph.constant dense<[1, -1]> : tensor<2xi32>
  %t = graph.constant dense<[32, -1]> : tensor<2xi32>
  %c = graph.binary shift_left %s, %t : tensor<2xi32>
  %u = graph.constant dense<[100, -128]> : tensor<2xi8>
  %d = graph.binary add %u, %u : tensor<2xi8>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[-9223372036854775808, 0]> : tensor<2xi64>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<0> : tensor<2xi64>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<0> : tensor<2xi32>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[-56, 0]> : tensor<2xi8>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<2xi64>, tensor<2xi64>, tensor<2xi32>, tensor<2xi8>
}

// A shift past the width, or by a negative amount, leaves the sign of the operand at most.
// CHECK-LABEL: func @wide_right_shifts
func.func @wide_right_shifts() -> (tensor<3xi32>, tensor<2xui8>) {
  %x = graph.constant dense<[-8, 4, -8]> : tensor<3xi32>
  %t = graph.constant dense<[32, -1, 1]> : tensor<3xi32>
  %a = graph.binary shift_right %x, %t : tensor<3xi32>
  %y = graph.constant dense<[200, 200]> : tensor<2xui8>
  %u = graph.constant dense<[8, 7]> : tensor<2xui8>
  %b = graph.binary shift_right %y, %u : tensor<2xui8>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[-1, 0, -4]> : tensor<3xi32>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[0, 1]> : tensor<2xui8>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : tensor<3xi32>, tensor<2xui8>
}

// CHECK-LABEL: func @integer_power
func.func @integer_power() -> tensor<5xi32> {
  %x = graph.constant dense<[3, 2, -1, -1, 0]> : tensor<5xi32>
  %y = graph.constant dense<[4, -1, -3, -2, 0]> : tensor<5xi32>
  // CHECK: graph.constant dense<[81, 0, -1, 1, 1]>
  %a = graph.binary pow %x, %y : tensor<5xi32>
  return %a : tensor<5xi32>
}

// CHECK-LABEL: func @unsigned
func.func @unsigned() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xui64>, tensor<2xi1>) {
  %x = graph.constant dense<[200, 3]> : tensor<2xui8>
  %y = graph.constant dense<[100, 5]> : tensor<2xui8>
  %a = graph.binary div %x, %y : tensor<2xui8>
  %b = graph.binary max %x, %y : tensor<2xui8>
  %m = graph.constant dense<[18446744073709551615, 7]> : tensor<2xui64>
  %t = graph.constant dense<[2, 2]> : tensor<2xui64>
  %c = graph.binary shift_right %m, %t : tensor<2xui64>
  %d = graph.compare gt %x, %y : tensor<2xui8>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[2, 0]> : tensor<2xui8>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[200, 5]> : tensor<2xui8>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[4611686018427387903, 1]> : tensor<2xui64>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<2xui8>, tensor<2xui8>, tensor<2xui64>, tensor<2xi1>
}

// CHECK-LABEL: func @float_binary
func.func @float_binary() -> (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf16>) {
  %x = graph.constant dense<[5.5, -5.5, 5.5, -5.5]> : tensor<4xf32>
  %y = graph.constant dense<[2.0, 2.0, -2.0, -2.0]> : tensor<4xf32>
  %a = graph.binary mod %x, %y : tensor<4xf32>
  %b = graph.binary rem %x, %y : tensor<4xf32>
  %v = graph.constant dense<[0x7FC00000, 1.0, 1.0]> : tensor<3xf32>
  %w = graph.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %c = graph.binary max %v, %w : tensor<3xf32>
  // 2048 + 1 is a tie in f16, and rounds to even.
  %h = graph.constant dense<[2048.0, 60000.0]> : tensor<2xf16>
  %k = graph.constant dense<[1.0, 60000.0]> : tensor<2xf16>
  %d = graph.binary add %h, %k : tensor<2xf16>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[1.500000e+00, 5.000000e-01, -5.000000e-01, -1.500000e+00]>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[1.500000e+00, -1.500000e+00, 1.500000e+00, -1.500000e+00]>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[0x7FC00000, 0x7FC00000, 2.000000e+00]>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[2.048000e+03, 0x7C00]> : tensor<2xf16>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf16>
}

// CHECK-LABEL: func @compare_nan
func.func @compare_nan() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %x = graph.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = graph.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %a = graph.compare eq %x, %y : tensor<2xf32>
  %b = graph.compare ne %x, %y : tensor<2xf32>
  %c = graph.compare ge %x, %y : tensor<2xf32>
  // CHECK-DAG: %[[EQ:.*]] = graph.constant dense<[false, true]>
  // CHECK-DAG: %[[NE:.*]] = graph.constant dense<[true, false]>
  // CHECK: return %[[EQ]], %[[NE]], %[[EQ]]
  return %a, %b, %c : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func @select
func.func @select() -> tensor<3xi64> {
  %p = graph.constant dense<[true, false, true]> : tensor<3xi1>
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %y = graph.constant dense<-1> : tensor<3xi64>
  // CHECK: graph.constant dense<[1, -1, 3]>
  %a = graph.select %p, %x, %y : tensor<3xi1>, tensor<3xi64>
  return %a : tensor<3xi64>
}

// CHECK-LABEL: func @cast
func.func @cast() -> (tensor<3xi32>, tensor<3xi1>, tensor<3xui8>, tensor<2xbf16>, tensor<2xf8E4M3FN>,
                      tensor<2xi4>) {
  %x = graph.constant dense<[-2.9, 0.0, 2.9]> : tensor<3xf32>
  %a = graph.cast %x : tensor<3xf32> -> tensor<3xi32>
  %b = graph.cast %x : tensor<3xf32> -> tensor<3xi1>
  %i = graph.constant dense<[-1, 256, 7]> : tensor<3xi64>
  %c = graph.cast %i : tensor<3xi64> -> tensor<3xui8>
  %y = graph.constant dense<[1.00390625, 1000.0]> : tensor<2xf32>
  %d = graph.cast %y : tensor<2xf32> -> tensor<2xbf16>
  %e = graph.cast %y : tensor<2xf32> -> tensor<2xf8E4M3FN>
  %j = graph.constant dense<[15, 7]> : tensor<2xi8>
  %f = graph.cast %j : tensor<2xi8> -> tensor<2xi4>
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<[-2, 0, 2]> : tensor<3xi32>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[255, 0, 7]> : tensor<3xui8>
  // CHECK-DAG: %[[D:.*]] = graph.constant dense<[1.000000e+00, 1.000000e+03]> : tensor<2xbf16>
  // CHECK-DAG: %[[E:.*]] = graph.constant dense<[1.000000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>
  // CHECK-DAG: %[[F:.*]] = graph.constant dense<[-1, 7]> : tensor<2xi4>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  return %a, %b, %c, %d, %e, %f : tensor<3xi32>, tensor<3xi1>, tensor<3xui8>, tensor<2xbf16>,
      tensor<2xf8E4M3FN>, tensor<2xi4>
}

// A splat folds whatever its size; other constants only when they are small.
// CHECK-LABEL: func @sizes
func.func @sizes(%x: tensor<100000xi32>) -> (tensor<100000xi32>, tensor<17000xi32>, tensor<0xi32>) {
  %two = graph.constant dense<2> : tensor<100000xi32>
  // CHECK-DAG: graph.constant dense<4> : tensor<100000xi32>
  %a = graph.binary add %two, %two : tensor<100000xi32>
  %one = graph.constant dense<1> : tensor<i32>
  %many = graph.constant dense<1> : tensor<8500xi32>
  %more = graph.constant dense<2> : tensor<8500xi32>
  // CHECK-DAG: graph.concat
  %b = graph.concat %many, %more dim 0 : tensor<8500xi32>, tensor<8500xi32>
  %none = graph.constant dense<> : tensor<0xi32>
  // CHECK-DAG: graph.constant dense<> : tensor<0xi32>
  %c = graph.binary add %none, %none : tensor<0xi32>
  return %a, %b, %c : tensor<100000xi32>, tensor<17000xi32>, tensor<0xi32>
}

// Values in files are never read.
// CHECK-LABEL: func @external_stays
func.func @external_stays() -> tensor<2xf32> {
  %a = graph.constant #graph.external<"w.bin", 0, 8> : tensor<2xf32>
  // CHECK: graph.unary neg
  %b = graph.unary neg %a : tensor<2xf32>
  return %b : tensor<2xf32>
}

// A boolean comes back from every type; a number that was made one does not.
// CHECK-LABEL: func @cast_of_boolean
// CHECK-SAME: (%[[B:.*]]: tensor<3xi1>, %[[N:.*]]: tensor<3xi32>)
func.func @cast_of_boolean(%b: tensor<3xi1>, %n: tensor<3xi32>) -> (tensor<3xi1>, tensor<3xi32>) {
  // CHECK-NEXT: %[[C:.*]] = graph.cast %[[N]]
  // CHECK-NEXT: %[[D:.*]] = graph.cast %[[C]]
  // CHECK-NEXT: return %[[B]], %[[D]]
  %w = graph.cast %b : tensor<3xi1> -> tensor<3xui8>
  %back = graph.cast %w : tensor<3xui8> -> tensor<3xi1>
  %c = graph.cast %n : tensor<3xi32> -> tensor<3xi1>
  %d = graph.cast %c : tensor<3xi1> -> tensor<3xi32>
  return %back, %d : tensor<3xi1>, tensor<3xi32>
}

// A number that was widened is the same when it is narrowed again, unless the cast is to round what kernels hold of it.
// CHECK-LABEL: func @cast_and_back
// CHECK-SAME: (%[[X:.*]]: tensor<3xbf16>)
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %[[X]]
// CHECK-NEXT: %[[ROUNDED:.*]] = graph.cast %[[WIDE]] {graph.rounds}
// CHECK-NEXT: return %[[X]], %[[ROUNDED]]
func.func @cast_and_back(%x: tensor<3xbf16>) -> (tensor<3xbf16>, tensor<3xbf16>) {
  %wide = graph.cast %x : tensor<3xbf16> -> tensor<3xf32>
  %same = graph.cast %wide : tensor<3xf32> -> tensor<3xbf16>
  %rounded = graph.cast %wide {graph.rounds} : tensor<3xf32> -> tensor<3xbf16>
  return %same, %rounded : tensor<3xbf16>, tensor<3xbf16>
}
