// RUN: split-file %s %t
// RUN: not shard-opt %t/plain.mlir -sharding-set-mesh=axes=data 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not shard-opt %t/plain.mlir -sharding-set-mesh=axes=data=2,data=2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shard-opt %t/plain.mlir -sharding-set-mesh=axes=data=0 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not shard-opt %t/plain.mlir -sharding-set-mesh="axes=a'b=2" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not shard-opt %t/plain.mlir -sharding-set-mesh=axes=2a=2 2>&1 | FileCheck %s --check-prefix=DIGIT
// RUN: not shard-opt %t/mesh.mlir -sharding-set-mesh=axes=data=2 2>&1 | FileCheck %s --check-prefix=GIVEN

// FORM: error: mesh axis "data" is not of the form NAME=SIZE
// TWICE: error: mesh: two axes are named "data"
// EXTENT: error: mesh: axis "data" has extent 0
// NAME: error: mesh: an axis is named "a'b"; names are of letters, digits, _, . and -, a letter or _ first
// DIGIT: error: mesh: an axis is named "2a"
// GIVEN: error: {{.*}}the model has a mesh already: x=2

//--- plain.mlir
func.func @plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
//--- mesh.mlir
dist.mesh @m <["x"=2]>
