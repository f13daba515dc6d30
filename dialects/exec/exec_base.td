// The exec dialect: its definition and the base classes of its ops.
#ifndef SHEAF_DIALECTS_EXEC_EXEC_BASE
#define SHEAF_DIALECTS_EXEC_EXEC_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ExecDialect : Dialect {
  let name = "exec";
  let cppNamespace = "::sheaf::exec";
  let summary = "What the machine does: memory, library calls and generated kernels";
  let description = [{
    A module holds variables, kernels and programs. A program is a list of instructions on buffers;
    once planned, every buffer has its place. `exec.apply` is the same call in value form, on
    tensors, for the passes that choose calls and packing before there is memory.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Exec_Op<string mnemonic, list<Trait> traits = []> : Op<ExecDialect, mnemonic, traits>;

#endif
