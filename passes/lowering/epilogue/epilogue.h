// The patterns that let contractions and convolutions finish their result themselves.
#ifndef SHEAF_PASSES_LOWERING_EPILOGUE_EPILOGUE_H
#define SHEAF_PASSES_LOWERING_EPILOGUE_EPILOGUE_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/lowering/device.h"

namespace sheaf::lowering {

// One per file of this folder, of the same name.
void populateActivationPatterns(mlir::RewritePatternSet &patterns, Device device);
void populateAddPatterns(mlir::RewritePatternSet &patterns, Device device);
void populateScalePatterns(mlir::RewritePatternSet &patterns);

/// The contraction or convolution that computes `value` for one user only and has no activation
/// yet; null when there is none.
exec::ApplyOp findUnfinishedCall(mlir::Value value);

/// The call at the place of `op`, with `extra` operands inserted before operand `at`, in place of
/// both. Returns the new call.
exec::ApplyOp absorb(mlir::PatternRewriter &rewriter, mlir::Operation *op, exec::ApplyOp call,
                     unsigned at, mlir::ValueRange extra);

/// Where among the operands of a call its bias stands, or would: behind the scales of a contraction of 8-bit floats.
unsigned biasPlace(exec::ApplyOp call);

/// Whether the device adds a bias of the result's type to what the call computes, as it stores it.
bool takesBias(exec::ApplyOp call);

} // namespace sheaf::lowering

#endif
