// The GPUs that an executable is compiled for.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_GPU_CHIPS_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_GPU_CHIPS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

namespace sheaf::lowering {

struct GpuChips {
  /// Compute capabilities (80 for 8.0), ascending; at least one.
  llvm::SmallVector<unsigned> capabilities{80};
  /// Whether machine code of each is wanted too, where there is an assembler; else the driver makes it
  /// from the PTX of the first.
  bool wantsCubins = false;

  /// The chips of `list`, joined by commas ("80,90"), with cubins.
  /// Errors: what is no number, unknown chips, and those before 8.0.
  static mlir::FailureOr<GpuChips> named(llvm::StringRef list,
                                         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// The oldest, whose PTX all of them load.
  unsigned first() const { return capabilities.front(); }
};

} // namespace sheaf::lowering

#endif
