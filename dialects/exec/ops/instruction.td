// What a program does, step by step.
#ifndef SHEAF_DIALECTS_EXEC_OPS_INSTRUCTION
#define SHEAF_DIALECTS_EXEC_OPS_INSTRUCTION

include "dialects/exec/exec_types.td"

/// An instruction reads `ins` and writes `outs`. It runs on a stream, in order with the others of
/// it, after the events it waits for; it sets the events it records when it is done.
class Exec_InstructionOp<string mnemonic, dag own, list<Trait> traits = []>
    : Exec_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments])> {
  let arguments = !con(own, (ins Variadic<Exec_BufferType>:$ins, Variadic<Exec_BufferType>:$outs,
      DefaultValuedAttr<I64Attr, "0">:$stream, OptionalAttr<DenseI64ArrayAttr>:$waits,
      OptionalAttr<DenseI64ArrayAttr>:$records));
}

def Exec_CallOp : Exec_InstructionOp<"call",
    (ins StrAttr:$callee, OptionalAttr<DictionaryAttr>:$params)> {
  let summary = "Calls a function of the runtime by name";
  let description = [{
    What the names are, and what they take, is in `runtime/abi/calls.h`. A parameter is an i64 array
    or integer, an f64 array or float, a boolean or a string.
    (C1) every parameter is of one of those.
    ```mlir
    exec.call "contract"(%a, %b) -> (%c) with {lhs_contract = 1, rhs_contract = 0}
        : (!exec.buffer<4x8xf32>, !exec.buffer<8x2xf32>) -> (!exec.buffer<4x2xf32>)
    ```
  }];
  let assemblyFormat = [{
    $callee `(` $ins `)` `->` `(` $outs `)` (`with` $params^)? attr-dict
    `:` `(` type($ins) `)` `->` `(` type($outs) `)`
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$callee, "::mlir::DictionaryAttr":$params,
      "::mlir::ValueRange":$ins, "::mlir::ValueRange":$outs), [{
    build($_builder, $_state, $_builder.getStringAttr(callee), params, ins, outs,
          $_builder.getI64IntegerAttr(0), /*waits=*/nullptr, /*records=*/nullptr);
  }]>];
  let hasVerifier = 1;
}

def Exec_LaunchOp : Exec_InstructionOp<"launch", (ins FlatSymbolRefAttr:$kernel),
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a generated kernel";
  let description = [{
    How the work is cut into units follows from the kernel's code, which depends on where the
    buffers lie; so it is known only when the executable is written.
    (C1) the kernel exists and takes as many buffers as are read.
    ```mlir
    exec.launch @kernel_0(%x) -> (%y) : (!exec.buffer<1024xf32>) -> (!exec.buffer<1024xf32>)
    ```
  }];
  let assemblyFormat = [{
    $kernel `(` $ins `)` `->` `(` $outs `)` attr-dict
    `:` `(` type($ins) `)` `->` `(` type($outs) `)`
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$kernel, "::mlir::ValueRange":$ins,
      "::mlir::ValueRange":$outs), [{
    build($_builder, $_state, ::mlir::FlatSymbolRefAttr::get($_builder.getContext(), kernel), ins,
          outs, $_builder.getI64IntegerAttr(0), /*waits=*/nullptr, /*records=*/nullptr);
  }]>];
}

#endif
