// Which contractions of a lowered module are of 8-bit floats.
#ifndef SHEAF_PASSES_LOWERING_NARROW_REPORT_H
#define SHEAF_PASSES_LOWERING_NARROW_REPORT_H

#include "dialects/exec/exec.h"
#include "mlir/IR/BuiltinOps.h"

namespace sheaf::lowering {

/// Contractions by what they multiply, each once, however often a part of a program is repeated.
struct NarrowReport {
  explicit NarrowReport(mlir::ModuleOp module);

  int64_t numProducts = 0; ///< of any type
  llvm::SmallVector<exec::CallOp> narrow;
};

} // namespace sheaf::lowering

#endif
