// Where the operands of instructions are: buffers, variables and views of them.
#ifndef SHEAF_DIALECTS_EXEC_OPS_MEMORY
#define SHEAF_DIALECTS_EXEC_OPS_MEMORY

include "dialects/exec/exec_types.td"

def Exec_BufferOp : Exec_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Memory of the program's arena";
  let description = [{
    Holds a value from the first instruction that writes it to the last that touches it. `at` is the
    offset in the arena of its space, in bytes, once planned.
    (C1) the type is plain. (C2) the offset is a multiple of 64 and not negative.
    ```mlir
    %t = exec.buffer at 128 : !exec.buffer<4x8xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Exec_GetOp : Exec_Op<"get", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The memory of a variable";
  let description = [{
    (C1) the variable exists and has the type of the result.
    ```mlir
    %w = exec.get @w : !exec.buffer<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Exec_ViewOp : Exec_Op<"view", [Pure]> {
  let summary = "The same memory under another shape";
  let description = [{
    `at` is the place of the view's first element in elements after the source's.
    (C1) element type and space are equal. (C2) neither side is packed.
    (C3) the elements of the result lie between the first and the last of the source.
    ```mlir
    %v = exec.view %t at 8 : !exec.buffer<4x8xf32> -> !exec.buffer<2x8xf32>
    ```
  }];
  let arguments = (ins Exec_BufferType:$source, I64Attr:$offset);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
