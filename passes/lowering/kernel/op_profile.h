// What emitting an op takes, found by emitting it once on the side.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_OP_PROFILE_H
#define SHEAF_PASSES_LOWERING_KERNEL_OP_PROFILE_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace sheaf::lowering {

struct OpProfile {
  /// Vector instructions, roughly; divisions and functions of the machine count several.
  int64_t cost = 0;
  /// Whether each element takes a call of the C library on the host.
  bool callsLibrary = false;
  /// Dims of the result whose index the op uses.
  llvm::SmallVector<int64_t> countedDims;

  /// Of an op with EmitOpInterface.
  static OpProfile of(mlir::Operation *op);
};

} // namespace sheaf::lowering

#endif
