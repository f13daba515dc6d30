// Converts convolutions and their gradients.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

template <typename Op> struct ConvPattern : OpRewritePattern<Op> {
  ConvPattern(MLIRContext *context, bool allowsTf32)
      : OpRewritePattern<Op>(context), allowsTf32(allowsTf32) {}

protected:
  CallParams windowParams(Op op) const {
    CallParams params(op.getContext());
    params.ints("strides", op.getStrides())
        .ints("dilations", op.getDilations())
        .ints("padding_low", op.getPaddingLow())
        .ints("padding_high", op.getPaddingHigh())
        .flag("allow_tf32", allowsTf32 && op.getType().getElementType().isF32());
    if (op.getGroups() != 1)
      params.integer("groups", op.getGroups());
    return params;
  }

private:
  bool allowsTf32;
};

/// Negative padding crops, which calls don't do: the padding of such a dim becomes ops of their own.
/// `cropLow` and `cropHigh` are what is cut off, `padLow` and `padHigh` what is added there, for all
/// dims; `low` and `high` is what is left for the call, for the spatial ones.
struct SplitPadding {
  SmallVector<int64_t> cropLow{0, 0}, cropHigh{0, 0}, padLow{0, 0}, padHigh{0, 0}, low, high;
  bool isNeeded = false;

  template <typename Op> explicit SplitPadding(Op op) {
    for (auto [first, last] : llvm::zip(op.getPaddingLow(), op.getPaddingHigh())) {
      bool isSplit = first < 0 || last < 0;
      isNeeded |= isSplit;
      low.push_back(isSplit ? 0 : first);
      high.push_back(isSplit ? 0 : last);
      cropLow.push_back(std::max<int64_t>(-first, 0));
      cropHigh.push_back(std::max<int64_t>(-last, 0));
      padLow.push_back(isSplit ? std::max<int64_t>(first, 0) : 0);
      padHigh.push_back(isSplit ? std::max<int64_t>(last, 0) : 0);
    }
  }
};

Value padWithZeros(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> low,
                   ArrayRef<int64_t> high) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  auto zero =
      DenseElementsAttr::get(RankedTensorType::get({}, element), rewriter.getZeroAttr(element));
  Value fill = graph::ConstantOp::create(rewriter, loc, zero);
  return graph::PadOp::create(rewriter, loc, value, fill, low, high);
}

Value crop(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> low,
           ArrayRef<int64_t> high) {
  SmallVector<int64_t> limits;
  for (auto [extent, amount] : llvm::zip(cast<RankedTensorType>(value.getType()).getShape(), high))
    limits.push_back(extent - amount);
  SmallVector<int64_t> strides(limits.size(), 1);
  return graph::SliceOp::create(rewriter, loc, value, low, limits, strides);
}

/// The input without what negative padding cuts off. Padded first: more may be cut off than there is
/// without it.
Value splitInput(PatternRewriter &rewriter, Location loc, Value input,
                 const SplitPadding &padding) {
  input = padWithZeros(rewriter, loc, input, padding.padLow, padding.padHigh);
  return crop(rewriter, loc, input, padding.cropLow, padding.cropHigh);
}

struct ConvertConv : ConvPattern<graph::ConvOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(graph::ConvOp op, PatternRewriter &rewriter) const override {
    SplitPadding padding(op);
    if (!padding.isNeeded)
      return replaceWithCall(rewriter, op, abi::calls::conv, {op.getInput(), op.getFilter()},
                             windowParams(op), op.getInput());
    Location loc = op.getLoc();
    Value input = splitInput(rewriter, loc, op.getInput(), padding);
    auto inner =
        graph::ConvOp::create(rewriter, loc, input, op.getFilter(), op.getStrides(), padding.low,
                              padding.high, op.getDilations(), op.getGroups());
    rewriter.replaceOp(op, inner);
    (void)matchAndRewrite(inner,
                          rewriter); // The split is right whether the type has a call or not.
    return success();
  }
};

/// The adjoint: what was cut off is zero, and what was added is cut off.
struct ConvertConvInputGrad : ConvPattern<graph::ConvInputGradOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(graph::ConvInputGradOp op,
                                PatternRewriter &rewriter) const override {
    SplitPadding padding(op);
    if (!padding.isNeeded)
      return replaceWithCall(rewriter, op, abi::calls::convTranspose,
                             {op.getOutputGrad(), op.getFilter()}, windowParams(op),
                             op.getOutputGrad());
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (size_t dim = 0; dim < shape.size(); ++dim)
      shape[dim] +=
          padding.padLow[dim] + padding.padHigh[dim] - padding.cropLow[dim] - padding.cropHigh[dim];
    auto inner = graph::ConvInputGradOp::create(
        rewriter, loc, type.clone(shape), op.getOutputGrad(), op.getFilter(), op.getStrides(),
        padding.low, padding.high, op.getDilations(), op.getGroups());
    Value full = padWithZeros(rewriter, loc, inner, padding.cropLow, padding.cropHigh);
    rewriter.replaceOp(op, crop(rewriter, loc, full, padding.padLow, padding.padHigh));
    rewriter.setInsertionPoint(inner);
    (void)matchAndRewrite(inner, rewriter);
    return success();
  }
};

struct ConvertConvFilterGrad : ConvPattern<graph::ConvFilterGradOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(graph::ConvFilterGradOp op,
                                PatternRewriter &rewriter) const override {
    SplitPadding padding(op);
    if (!padding.isNeeded)
      return replaceWithCall(rewriter, op, abi::calls::convFilterGradient,
                             {op.getInput(), op.getOutputGrad()}, windowParams(op), op.getInput());
    Value input = splitInput(rewriter, op.getLoc(), op.getInput(), padding);
    auto inner = graph::ConvFilterGradOp::create(rewriter, op.getLoc(), op.getType(), input,
                                                 op.getOutputGrad(), op.getStrides(), padding.low,
                                                 padding.high, op.getDilations(), op.getGroups());
    rewriter.replaceOp(op, inner);
    (void)matchAndRewrite(inner, rewriter); // As for conv.
    return success();
  }
};

} // namespace

void populateConvPatterns(RewritePatternSet &patterns, bool allowsTf32) {
  patterns.add<ConvertConv, ConvertConvInputGrad, ConvertConvFilterGrad>(patterns.getContext(),
                                                                         allowsTf32);
}

} // namespace sheaf::lowering
