// The exec dialect: attributes, the buffer type and ops.
#ifndef SHEAF_DIALECTS_EXEC_EXEC_H
#define SHEAF_DIALECTS_EXEC_EXEC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/exec/exec_base.h.inc"
#include "dialects/exec/exec_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/exec_attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/exec/exec_types.h.inc"

#define GET_OP_CLASSES
#include "dialects/exec/exec_ops.h.inc"

namespace sheaf::exec {
/// On a call of a collective, an array of strings: the parameters that it moves, or whose gradients it does, in the
/// order of its tensors (`dist.parameters`). For reports: it is not in the executable.
inline constexpr llvm::StringLiteral kMovedParameters("exec.parameters");
} // namespace sheaf::exec

#endif
