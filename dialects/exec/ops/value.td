// Calls in value form: on tensors, before there is memory.
#ifndef SHEAF_DIALECTS_EXEC_OPS_VALUE
#define SHEAF_DIALECTS_EXEC_OPS_VALUE

include "dialects/exec/exec_types.td"

def Exec_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;

def Exec_ApplyOp : Exec_Op<"apply", [Pure]> {
  let summary = "A call in value form";
  let description = [{
    The results are what `exec.call` of the same name and parameters writes; a tensor with the
    encoding `#exec.packed` is packed.
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

#endif
