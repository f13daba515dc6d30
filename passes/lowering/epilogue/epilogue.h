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
void populateActivationGradientPatterns(mlir::RewritePatternSet &patterns);
void populateAddPatterns(mlir::RewritePatternSet &patterns, Device device);
void populateScalePatterns(mlir::RewritePatternSet &patterns);
void populateTurnPatterns(mlir::RewritePatternSet &patterns);

/// Lets contractions that read a tensor, or write it, sum up its rows: gradients of biases. When calls have all else.
void absorbSums(mlir::Operation *module);

/// The contraction or convolution that computes `value` for one user only and has no activation
/// yet; null when there is none.
exec::ApplyOp findUnfinishedCall(mlir::Value value);

/// The call at the place of `op`, with `extra` operands inserted before operand `at`, in place of
/// both; what only `op` needed is erased. Returns the new call.
exec::ApplyOp absorb(mlir::PatternRewriter &rewriter, mlir::Operation *op, exec::ApplyOp call,
                     unsigned at, mlir::ValueRange extra);

/// Where among the operands of a call its bias stands, or would: behind the scales of a contraction of 8-bit floats.
unsigned biasPlace(exec::ApplyOp call);

/// Whether the call is a contraction of 8-bit floats as they are (runtime/abi/narrow_product.h).
bool isNarrowProduct(exec::ApplyOp call);

/// Whether the device adds a bias of the result's type to what the call computes, as it stores it.
bool takesBias(exec::ApplyOp call);

/// What `value` is a reshape of.
mlir::Value throughReshapes(mlir::Value value);

/// The same, as long as nothing else uses what is between.
mlir::Value throughOwnReshapes(mlir::Value value);

/// `value` in the shape of `type`; itself when it has that.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                     mlir::RankedTensorType type);

/// The dims of a contraction's result that come from its rhs: [first, first + count).
struct ColumnDims {
  int64_t first, count;
};
ColumnDims columnDims(exec::ApplyOp contract);

/// Whether the call is one matrix product of floats of one type that cuBLASLt has epilogues for; not of f64.
bool isPlainProduct(exec::ApplyOp call);

/// Whether the call is a product whose result cuBLASLt may apply gelu_tanh to. With tensors of f32 only where these may
/// be rounded: its tanh is an approximation, good to some 11 bits.
bool takesGelu(exec::ApplyOp call);

/// Whether cuBLASLt can write what gelu_tanh is applied to beside the result, or read it: rows of it have to be
/// multiples of 8 elements (CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD in cublasLt.h).
bool takesPreactivation(exec::ApplyOp call);

} // namespace sheaf::lowering

#endif
