// RUN: shard-opt %s | shard-opt | FileCheck %s
// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func @all
func.func @all(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xbf16> {
  // CHECK: graph.unary exp %{{.*}} : tensor<4xf32>
  %a = graph.unary exp %x : tensor<4xf32>
  // CHECK: graph.binary add %{{.*}}, %{{.*}} : tensor<4xf32>
  %b = graph.binary add %a, %y : tensor<4xf32>
  // CHECK: graph.compare lt %{{.*}}, %{{.*}} : tensor<4xf32>
  %p = graph.compare lt %a, %b : tensor<4xf32>
  // CHECK: graph.unary not %{{.*}} : tensor<4xi1>
  %q = graph.unary not %p : tensor<4xi1>
  // CHECK: graph.binary and %{{.*}}, %{{.*}} : tensor<4xi1>
  %r = graph.binary and %p, %q : tensor<4xi1>
  // CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %s = graph.select %r, %a, %b : tensor<4xi1>, tensor<4xf32>
  // CHECK: graph.cast %{{.*}} {saturate = false} : tensor<4xf32> -> tensor<4xbf16>
  %t = graph.cast %s {saturate = false} : tensor<4xf32> -> tensor<4xbf16>
  return %t : tensor<4xbf16>
}

// CANON-LABEL: func @right_identities_of_floats
// CANON-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @right_identities_of_floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %minus_zero = graph.constant dense<-0.0> : tensor<4xf32>
  %lowest = graph.constant dense<0xFF800000> : tensor<4xf32>
  %a = graph.binary mul %one, %x : tensor<4xf32>
  %b = graph.binary div %a, %one : tensor<4xf32>
  %c = graph.binary sub %b, %zero : tensor<4xf32>
  %d = graph.binary add %c, %minus_zero : tensor<4xf32>
  %e = graph.binary max %d, %lowest : tensor<4xf32>
  // CANON-NEXT: return %[[X]]
  return %e : tensor<4xf32>
}

// `-0.0 + 0.0` is `0.0`, and NaN times zero is NaN.
// CANON-LABEL: func @inexact_identities_stay
func.func @inexact_identities_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  // CANON: graph.binary add
  %a = graph.binary add %x, %zero : tensor<4xf32>
  // CANON: graph.binary mul
  %b = graph.binary mul %a, %zero : tensor<4xf32>
  return %b : tensor<4xf32>
}

// CANON-LABEL: func @integer_identities
// CANON-SAME: (%[[X:.*]]: tensor<4xi32>)
func.func @integer_identities(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
  %zero = graph.constant dense<0> : tensor<4xi32>
  %ones = graph.constant dense<-1> : tensor<4xi32>
  // CANON-DAG: %[[ZERO:.*]] = graph.constant dense<0> : tensor<4xi32>
  // CANON-DAG: %[[TRUE:.*]] = graph.constant dense<true> : tensor<4xi1>
  %a = graph.binary add %zero, %x : tensor<4xi32>
  %b = graph.binary and %a, %ones : tensor<4xi32>
  %c = graph.binary mul %x, %zero : tensor<4xi32>
  %d = graph.compare le %x, %x : tensor<4xi32>
  // CANON: return %[[X]], %[[ZERO]], %[[TRUE]]
  return %b, %c, %d : tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
}

// CANON-LABEL: func @twice
// CANON-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = graph.unary neg %x : tensor<4xf32>
  %b = graph.unary neg %a : tensor<4xf32>
  // CANON-DAG: %[[R:.*]] = graph.unary relu %[[X]]
  %c = graph.unary relu %x : tensor<4xf32>
  %d = graph.unary relu %c : tensor<4xf32>
  // CANON-DAG: %[[A:.*]] = graph.unary abs %[[X]]
  %e = graph.unary abs %a : tensor<4xf32>
  // CANON: return %[[X]], %[[R]], %[[A]]
  return %b, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CANON-LABEL: func @select_known
// CANON-SAME: (%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>, %[[P:.*]]: tensor<2xi1>)
func.func @select_known(%x: tensor<2xf32>, %y: tensor<2xf32>, %p: tensor<2xi1>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>) {
  %false = graph.constant dense<false> : tensor<2xi1>
  %true = graph.constant dense<true> : tensor<2xi1>
  %a = graph.select %false, %x, %y : tensor<2xi1>, tensor<2xf32>
  %b = graph.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>
  %c = graph.select %p, %true, %false : tensor<2xi1>, tensor<2xi1>
  // CANON: return %[[Y]], %[[X]], %[[P]]
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>
}

// A first cast that keeps every value is dropped, one that rounds stays.
// CANON-LABEL: func @casts
// CANON-SAME: (%[[H:.*]]: tensor<4xf16>, %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi8>)
func.func @casts(%h: tensor<4xf16>, %x: tensor<4xf32>, %i: tensor<4xi8>)
    -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xi1>) {
  %a = graph.cast %h : tensor<4xf16> -> tensor<4xf32>
  %b = graph.cast %a : tensor<4xf32> -> tensor<4xf16>
  // CANON-DAG: %[[ROUNDED:.*]] = graph.cast %[[X]] : tensor<4xf32> -> tensor<4xbf16>
  // CANON-DAG: %[[D:.*]] = graph.cast %[[ROUNDED]] : tensor<4xbf16> -> tensor<4xf32>
  %c = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>
  %d = graph.cast %c : tensor<4xbf16> -> tensor<4xf32>
  // CANON-DAG: %[[F:.*]] = graph.cast %[[I]] : tensor<4xi8> -> tensor<4xf64>
  %e = graph.cast %i : tensor<4xi8> -> tensor<4xi64>
  %f = graph.cast %e : tensor<4xi64> -> tensor<4xf64>
  // CANON-DAG: %[[G:.*]] = graph.cast %[[I]] : tensor<4xi8> -> tensor<4xi1>
  %g = graph.cast %e : tensor<4xi64> -> tensor<4xi1>
  // CANON: return %[[H]], %[[D]], %[[F]], %[[G]]
  return %b, %d, %f, %g : tensor<4xf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xi1>
}
