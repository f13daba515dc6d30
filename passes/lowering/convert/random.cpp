// Converts random numbers.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct ConvertRandom : OpRewritePattern<graph::RandomOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::RandomOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.text("kind", stringifyRandomKind(op.getKind()))
        .integer("seed", op.getSeed())
        .real("a", op.getA().convertToDouble())
        .real("b", op.getB().convertToDouble())
        .flag("has_seed", bool(op.getCounter()))
        .flag("has_first", bool(op.getFirst()));
    if (op.getWhole())
      params.ints("global_dims", *op.getWhole());
    return replaceWithCall(rewriter, op, abi::calls::random, op.getOperands(), params,
                           op.getResult());
  }
};

} // namespace

void populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertRandom>(patterns.getContext());
}

} // namespace sheaf::lowering
