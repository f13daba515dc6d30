// RUN: not shard-opt %s --overlap-group-collectives=bytes=-1 2>&1 | FileCheck %s
// CHECK: error: a number of bytes to join is not negative, found -1
func.func @f() {
  return
}
