// What the calls of runtime/abi/calls.h accept, as the passes that choose buffers need to know it.
#ifndef SHEAF_PASSES_LOWERING_CALL_RULES_H
#define SHEAF_PASSES_LOWERING_CALL_RULES_H

#include "dialects/exec/exec.h"

namespace sheaf::lowering {

/// Whether the call takes operand `index` in a buffer of this type.
bool acceptsOperand(exec::ApplyOp call, unsigned index, exec::BufferType buffer);

/// Whether the call writes result `index` to a buffer of this type.
bool acceptsResult(exec::ApplyOp call, unsigned index, exec::BufferType buffer);

/// Whether the call `callee` computes on elements of this type.
bool acceptsElement(llvm::StringRef callee, mlir::Type elementType);

/// The operand that result `result` of a call may overwrite; none when there is none.
std::optional<unsigned> overwritableOperand(exec::CallOp call, unsigned result);

} // namespace sheaf::lowering

#endif
