// Turns graph ops that a library call computes into that call.
#include "passes/lowering/convert/convert.h"
#include "passes/lowering/passes.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGLEGALIZEPASS
#include "passes/lowering/passes.h.inc"

namespace {

struct Legalize : impl::LoweringLegalizePassBase<Legalize> {
  using LoweringLegalizePassBase::LoweringLegalizePassBase;

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet first(context);
    if (device == Device::cuda)
      populateExtremePatterns(first);
    before = std::move(first);
    mlir::RewritePatternSet set(context);
    populateAttentionPatterns(set, device);
    populateCastPatterns(set);
    populateCollectivePatterns(set);
    bool allowsTf32 = allowTf32 && device == Device::cuda; // The host has nothing to gain by it.
    populateContractPatterns(set, allowsTf32);
    populateConvPatterns(set, allowsTf32);
    populateIndexPatterns(set);
    populateOrderPatterns(set);
    populatePoolPatterns(set);
    populateRandomPatterns(set);
    populateResizePatterns(set);
    patterns = std::move(set);
    return mlir::success();
  }

  void runOnOperation() override {
    mlir::walkAndApplyPatterns(getOperation(), before);
    mlir::walkAndApplyPatterns(getOperation(), patterns);
  }

  mlir::FrozenRewritePatternSet before; ///< of collectives into others, which become calls then
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace sheaf::lowering
