// The families of patterns that turn graph ops into calls in value form.
#ifndef SHEAF_PASSES_LOWERING_CONVERT_CONVERT_H
#define SHEAF_PASSES_LOWERING_CONVERT_CONVERT_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/lowering/device.h"

namespace sheaf::lowering {

// One per file of this folder, of the same name.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns, Device device);
void populateCastPatterns(mlir::RewritePatternSet &patterns);
void populateCollectivePatterns(mlir::RewritePatternSet &patterns);
void populateContractPatterns(mlir::RewritePatternSet &patterns, bool allowsTf32);
void populateConvPatterns(mlir::RewritePatternSet &patterns, bool allowsTf32);
void populateExtremePatterns(mlir::RewritePatternSet &patterns); // come before those of collectives
void populateIndexPatterns(mlir::RewritePatternSet &patterns);
void populateOrderPatterns(mlir::RewritePatternSet &patterns);
void populatePoolPatterns(mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::RewritePatternSet &patterns);
void populateResizePatterns(mlir::RewritePatternSet &patterns);

/// Whether ranks make this call together.
bool isCollective(llvm::StringRef callee);

/// The parameters of a call, collected by name. Defaults are left out by who adds.
class CallParams {
public:
  explicit CallParams(mlir::MLIRContext *context) : builder(context) {}

  CallParams &ints(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  CallParams &integer(llvm::StringRef name, int64_t value);
  CallParams &floats(llvm::StringRef name, llvm::ArrayRef<double> values);
  CallParams &real(llvm::StringRef name, double value);
  CallParams &text(llvm::StringRef name, llvm::StringRef value);
  /// Adds a boolean that is false by default.
  CallParams &flag(llvm::StringRef name, bool value);

  mlir::DictionaryAttr get() const { return list.getDictionary(builder.getContext()); }

private:
  mutable mlir::Builder builder;
  mlir::NamedAttrList list;
};

/// Replaces `op` with the call `callee` of the same results, unless the call cannot compute on the
/// element type of `computed`.
mlir::LogicalResult replaceWithCall(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                                    llvm::StringRef callee, mlir::ValueRange operands,
                                    const CallParams &params, mlir::Value computed);

} // namespace sheaf::lowering

#endif
