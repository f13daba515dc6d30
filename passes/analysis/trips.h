// How often ops in loops run.
#ifndef SHEAF_PASSES_ANALYSIS_TRIPS_H
#define SHEAF_PASSES_ANALYSIS_TRIPS_H

#include "mlir/IR/Operation.h"
#include <string>

namespace sheaf {

/// How often `op` runs when its function does: the product of the trips of the loops around it; the largest number when
/// that overflows.
int64_t numRunsOf(mlir::Operation *op);

/// " in each of 4 trips", for messages on what `op` does; empty outside of loops.
std::string tripsText(mlir::Operation *op);

} // namespace sheaf

#endif
