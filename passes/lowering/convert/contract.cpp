// Converts contractions.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct ConvertContract : OpRewritePattern<graph::ContractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ContractOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    if (!op.getLhsBatch().empty())
      params.ints("lhs_batch", op.getLhsBatch()).ints("rhs_batch", op.getRhsBatch());
    if (!op.getLhsContract().empty())
      params.ints("lhs_contract", op.getLhsContract()).ints("rhs_contract", op.getRhsContract());
    return replaceWithCall(rewriter, op, abi::calls::contract, {op.getLhs(), op.getRhs()}, params,
                           op.getLhs());
  }
};

} // namespace

void populateContractPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertContract>(patterns.getContext());
}

} // namespace sheaf::lowering
