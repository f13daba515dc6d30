// Calls and views in value form: on tensors, before there is memory.
#ifndef SHEAF_DIALECTS_EXEC_OPS_VALUE
#define SHEAF_DIALECTS_EXEC_OPS_VALUE

include "dialects/exec/exec_types.td"

def Exec_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;

def Exec_ApplyOp : Exec_Op<"apply", [Pure]> {
  let summary = "A call in value form";
  let description = [{
    The results are what `exec.call` of the same name and parameters writes. Encodings of the
    tensors tell layouts.
    (C1) as `exec.call`.
    ```mlir
    %c = exec.apply "contract"(%a, %b) with {lhs_contract = 1, rhs_contract = 0}
        : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<Exec_Tensor>:$ins,
      OptionalAttr<DictionaryAttr>:$params);
  let results = (outs Variadic<Exec_Tensor>:$outs);
  let assemblyFormat = [{
    $callee `(` $ins `)` (`with` $params^)? attr-dict `:` functional-type($ins, $outs)
  }];
  let extraClassDeclaration = [{
    /// The parameter of that name, or null.
    ::mlir::Attribute getParam(::llvm::StringRef name);
    /// Sets a parameter; one of that name is replaced.
    void setParam(::llvm::StringRef name, ::mlir::Attribute value);
  }];
  let hasVerifier = 1;
}

def Exec_ReinterpretOp : Exec_Op<"reinterpret", [Pure]> {
  let summary = "The memory of a blocked tensor as a flat one, and back";
  let description = [{
    (C1) one side has a blocked encoding, the other has rank 1, no encoding and as many elements as
    the blocked one has places in memory. (C2) the element types are equal.
    ```mlir
    %y = exec.reinterpret %x
        : tensor<1x16x2x2xf32, #exec.blocked<16>> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Exec_Tensor:$operand);
  let results = (outs Exec_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif
