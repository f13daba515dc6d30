// Folds batch_norm after a convolution into the filter and a bias.
#include "passes/graph/passes.h"

#include "dialects/graph/primitive_builder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/product.h"
#include "passes/graph/view.h"

namespace sheaf::graph {
#define GEN_PASS_DEF_GRAPHFOLDBATCHNORMPASS
#include "passes/graph/passes.h.inc"
} // namespace sheaf::graph

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// A convolution with a bias per output channel, or none.
struct BiasedConv {
  ConvOp conv;
  Value bias;
};

/// `value` as a convolution that nothing else uses.
std::optional<BiasedConv> convOf(Value value, PrimitiveBuilder &builder) {
  if (!value.hasOneUse())
    return std::nullopt;
  if (auto conv = value.getDefiningOp<ConvOp>())
    return BiasedConv{conv, {}};
  for (auto [sum, addend] : bothOrders(value, BinaryKind::add)) {
    auto conv = sum.getDefiningOp<ConvOp>();
    View bias = View(addend).peeled();
    bool isPerChannel = llvm::all_of(bias.dims, [](int64_t dim) { return dim == 1 || dim < 0; });
    if (!conv || !conv->hasOneUse() || !isPerChannel)
      continue;
    int64_t channels = conv.getType().getDimSize(1);
    Value row = builder.reshape(View(addend).unrepeated(builder),
                                llvm::is_contained(bias.dims, 1) ? channels : 1);
    return BiasedConv{conv, builder.broadcast(row, channels, 0)};
  }
  return std::nullopt;
}

struct FoldBatchNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder builder(op.getLoc(), rewriter);
    std::optional<BiasedConv> biased = convOf(op.getOperand(), builder);
    if (!biased)
      return rewriter.notifyMatchFailure(op, "the operand is no convolution of its own");
    // Per channel, in the widest type that takes part: gain and shift.
    Type element = op.getType().getElementType(), compute = computeTypeOf(element);
    Value variance = builder.cast(op.getVariance(), compute);
    Value gain = builder.binary(
        BinaryKind::mul, builder.cast(op.getScale(), compute),
        builder.unary(UnaryKind::rsqrt, builder.binary(BinaryKind::add, variance,
                                                       op.getEpsilon().convertToDouble())));
    Value shift = builder.unary(UnaryKind::neg, builder.cast(op.getMean(), compute));
    if (biased->bias)
      shift = builder.binary(BinaryKind::add, shift, builder.cast(biased->bias, compute));
    shift = builder.binary(BinaryKind::add, builder.binary(BinaryKind::mul, shift, gain),
                           builder.cast(op.getBias(), compute));

    ConvOp conv = biased->conv;
    Value filter = builder.cast(conv.getFilter(), compute);
    ArrayRef<int64_t> filterShape = conv.getFilter().getType().getShape();
    filter = builder.binary(BinaryKind::mul, filter, builder.broadcast(gain, filterShape, 0));
    Value folded = ConvOp::create(
        builder, conv.getType(), conv.getInput(), builder.cast(filter, element), conv.getStrides(),
        conv.getPaddingLow(), conv.getPaddingHigh(), conv.getDilations(), conv.getGroups());
    Value bias = builder.broadcast(builder.cast(shift, element), op.getType().getShape(), 1);
    rewriter.replaceOp(op, builder.binary(BinaryKind::add, folded, bias));
    return success();
  }
};

struct FoldBatchNorms : sheaf::graph::impl::GraphFoldBatchNormPassBase<FoldBatchNorms> {
  using GraphFoldBatchNormPassBase::GraphFoldBatchNormPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldBatchNorm>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("folding batch norms did not come to an end");
      signalPassFailure();
    }
  }
};

} // namespace
