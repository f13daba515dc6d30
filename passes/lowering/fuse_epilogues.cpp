// Lets contractions and convolutions add bias and residual, scale and activate their result themselves; and on GPUs
// contractions give what gradients need beside it.
#include "passes/lowering/epilogue/epilogue.h"
#include "passes/lowering/passes.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGFUSEEPILOGUESPASS
#include "passes/lowering/passes.h.inc"

namespace {

struct FuseEpilogues : impl::LoweringFuseEpiloguesPassBase<FuseEpilogues> {
  using LoweringFuseEpiloguesPassBase::LoweringFuseEpiloguesPassBase;

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    populateActivationPatterns(set, device);
    populateAddPatterns(set, device);
    populateScalePatterns(set);
    if (device == Device::cuda) {
      populateActivationGradientPatterns(set);
      populateTurnPatterns(set);
    }
    patterns = std::move(set);
    return mlir::success();
  }

  // One walk in program order suffices: each op is absorbed by the call before it.
  void runOnOperation() override {
    mlir::walkAndApplyPatterns(getOperation(), patterns);
    if (device == Device::cuda)
      absorbSums(getOperation());
  }

  mlir::FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace sheaf::lowering
