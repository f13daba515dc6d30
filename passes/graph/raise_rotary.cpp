// Raises the rotary position embedding: by rotated halves with tables of full width, by halves with
// tables of half width, and by interleaved pairs.
#include "passes/graph/product.h"
#include "passes/graph/raise_patterns.h"
#include "passes/graph/segment.h"
#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

int64_t lastDimOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank() - 1; }

/// A concatenation of two along the last dim.
ConcatOp pairConcat(Value value) {
  auto concat = value.getDefiningOp<ConcatOp>();
  bool isPair =
      concat && concat.getNumOperands() == 2 && int64_t(concat.getDim()) == lastDimOf(concat);
  return isPair ? concat : ConcatOp();
}

/// Whether `first` and `second` are the halves of `whole` along the last dim.
bool areHalves(const Segment &whole, const Segment &first, const Segment &second) {
  int64_t r = first.lastCount();
  return first.isBeside(second) && first.isBeside(whole) && second.lastCount() == r &&
         whole.lastCount() == 2 * r && first.lastStart() == whole.lastStart() &&
         second.lastStart() == first.lastStart() + r * first.lastStride() &&
         first.lastStride() == whole.lastStride() && second.lastStride() == whole.lastStride();
}

/// Whether `value` is `concat(-second, first)` of the halves of `whole`.
bool isRotatedHalves(Value value, Value whole) {
  ConcatOp concat = pairConcat(value);
  if (!concat)
    return false;
  Scaled negated = scaledOf(concat.getOperand(0));
  return negated.factor == -1 &&
         areHalves(Segment::of(whole), Segment::of(concat.getOperand(1)), Segment::of(negated.x));
}

/// The first half of a table of full width, with extents 1 where it is repeated; null when the halves
/// differ or the last dim is repeated.
Value halfTable(Value table, PrimitiveBuilder &builder) {
  int64_t dim = lastDimOf(table);
  View view = View(table).peeled();
  if (!llvm::is_contained(view.dims, dim) || !hasEqualHalves(table, dim))
    return {};
  Value whole = View(table).unrepeated(builder);
  return builder.slice(whole, dim, 0,
                       cast<RankedTensorType>(whole.getType()).getShape().back() / 2);
}

/// `x cos + rotated(x) sin`.
struct RaiseRotatedHalves : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    for (auto [plain, rotated] : bothOrders(op, BinaryKind::add))
      for (auto [x, cosine] : bothOrders(plain, BinaryKind::mul))
        for (auto [turned, sine] : bothOrders(rotated, BinaryKind::mul))
          if (isRotatedHalves(turned, x) && replace(op, x, cosine, sine, rewriter))
            return success();
    return rewriter.notifyMatchFailure(op, "no sum of x cos and rotated x sin");
  }

private:
  static bool replace(BinaryOp op, Value x, Value cosine, Value sine, PatternRewriter &rewriter) {
    PrimitiveBuilder builder(op.getLoc(), rewriter);
    Value halfCosine = halfTable(cosine, builder), halfSine = halfTable(sine, builder);
    if (!halfCosine || !halfSine || halfCosine.getType() != halfSine.getType())
      return false;
    rewriter.replaceOpWithNewOp<RotaryOp>(op, op.getType(), x, halfCosine, halfSine, UnitAttr());
    return true;
  }
};

/// The two halves of each pair after the rotation, in terms of those before.
struct Rotation {
  Value first, second, cosine, sine;
};

/// `first = x cos - y sin`, `second = y cos + x sin`.
std::optional<Rotation> rotationOf(Value first, Value second) {
  auto sub = first.getDefiningOp<BinaryOp>();
  if (!sub || sub.getKind() != BinaryKind::sub)
    return std::nullopt;
  for (auto [x, cosine] : bothOrders(sub.getLhs(), BinaryKind::mul))
    for (auto [y, sine] : bothOrders(sub.getRhs(), BinaryKind::mul))
      for (auto [yCosine, xSine] : bothOrders(second, BinaryKind::add))
        if (coefficientOf(yCosine, {y, cosine}) == 1.0 && coefficientOf(xSine, {x, sine}) == 1.0)
          return Rotation{x, y, cosine, sine};
  return std::nullopt;
}

/// Whether `first` and `second` are every other element of what lies between; that segment.
std::optional<Segment> interleaved(const Segment &first, const Segment &second) {
  if (!first.isBeside(second) || first.lastCount() != second.lastCount() ||
      first.lastStride() != 2 || second.lastStride() != 2 ||
      second.lastStart() != first.lastStart() + 1)
    return std::nullopt;
  Segment whole = first;
  whole.counts.back() *= 2;
  whole.strides.back() = 1;
  return whole;
}

/// The halves side by side: `first` ends where `second` starts.
std::optional<Segment> joined(const Segment &first, const Segment &second) {
  Segment whole = first;
  whole.counts.back() *= 2;
  return areHalves(whole, first, second) ? std::optional(whole) : std::nullopt;
}

/// Builds the rotary op of a rotation, or null when its parts are not the pairs of one tensor.
Value buildRotary(const Rotation &rotation, bool isInterleaved, PrimitiveBuilder &builder) {
  Segment first = Segment::of(rotation.first), second = Segment::of(rotation.second);
  std::optional<Segment> whole = isInterleaved ? interleaved(first, second) : joined(first, second);
  if (!whole)
    return {};
  Value cosine = View(rotation.cosine).unrepeated(builder);
  Value sine = View(rotation.sine).unrepeated(builder);
  if (cosine.getType() != sine.getType() ||
      cast<RankedTensorType>(cosine.getType()).getShape().back() != first.lastCount())
    return {}; // The tables are repeated along the last dim.
  Value x = whole->build(builder);
  return RotaryOp::create(builder, x.getType(), x, cosine, sine,
                          isInterleaved ? builder.getUnitAttr() : UnitAttr());
}

/// Replaces the operands `index` and `index + 1` of a concatenation by one value.
void replacePair(ConcatOp op, size_t index, Value value, PatternRewriter &rewriter) {
  SmallVector<Value> operands(op.getOperands());
  operands[index] = value;
  operands.erase(operands.begin() + index + 1);
  if (operands.size() == 1)
    rewriter.replaceOp(op, value);
  else
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), operands, op.getDimAttr());
}

/// `x cos - y sin` and `y cos + x sin` side by side, `x` and `y` being halves.
struct RaiseHalves : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    if (int64_t(op.getDim()) != lastDimOf(op))
      return rewriter.notifyMatchFailure(op, "not along the last dim");
    PrimitiveBuilder builder(op.getLoc(), rewriter);
    for (size_t i = 0; i + 1 < op.getNumOperands(); ++i) {
      std::optional<Rotation> rotation = rotationOf(op.getOperand(i), op.getOperand(i + 1));
      if (!rotation)
        continue;
      if (Value rotary = buildRotary(*rotation, /*isInterleaved=*/false, builder)) {
        replacePair(op, i, rotary, rewriter);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no rotated halves side by side");
  }
};

/// The same of interleaved pairs: concatenated along a dim of their own, then merged.
struct RaisePairs : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    ConcatOp concat = pairConcat(op.getOperand());
    ArrayRef<int64_t> pairs = op.getOperand().getType().getShape();
    SmallVector<int64_t> merged(pairs.empty() ? pairs : pairs.drop_back());
    if (!concat || pairs.back() != 2 || merged.empty())
      return rewriter.notifyMatchFailure(op, "no concatenation of pairs");
    merged.back() *= 2;
    auto first = concat.getOperand(0).getDefiningOp<ReshapeOp>();
    auto second = concat.getOperand(1).getDefiningOp<ReshapeOp>();
    ArrayRef<int64_t> single = pairs.drop_back();
    if (op.getType().getShape() != ArrayRef(merged) || !first || !second ||
        first.getOperand().getType().getShape() != single ||
        second.getOperand().getType().getShape() != single)
      return rewriter.notifyMatchFailure(op, "the pairs are not merged into the last dim");
    std::optional<Rotation> rotation = rotationOf(first.getOperand(), second.getOperand());
    if (!rotation)
      return rewriter.notifyMatchFailure(op, "the pairs are not rotated");
    PrimitiveBuilder builder(op.getLoc(), rewriter);
    Value rotary = buildRotary(*rotation, /*isInterleaved=*/true, builder);
    if (!rotary)
      return rewriter.notifyMatchFailure(op, "what is rotated are not the pairs of one tensor");
    rewriter.replaceOp(op, rotary);
    return success();
  }
};

/// `rotary(x[.., :n])` and `x[.., n:]` side by side: part of x is rotated.
struct TakeRest : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    if (int64_t(op.getDim()) != lastDimOf(op))
      return rewriter.notifyMatchFailure(op, "not along the last dim");
    for (size_t i = 0; i + 1 < op.getNumOperands(); ++i) {
      auto rotary = op.getOperand(i).getDefiningOp<RotaryOp>();
      if (!rotary || !rotary->hasOneUse())
        continue;
      Segment part = Segment::of(rotary.getOperand()), rest = Segment::of(op.getOperand(i + 1));
      if (!part.isBeside(rest) || part.lastStride() != 1 || rest.lastStride() != 1 ||
          rest.lastStart() != part.lastStart() + part.lastCount())
        continue;
      PrimitiveBuilder builder(op.getLoc(), rewriter);
      part.counts.back() += rest.counts.back();
      Value x = part.build(builder);
      Value whole = RotaryOp::create(builder, x.getType(), x, rotary.getCosine(), rotary.getSine(),
                                     rotary.getInterleavedAttr());
      replacePair(op, i, whole, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no rotated part with the rest beside it");
  }
};

} // namespace

void sheaf::graph::populateRaiseRotaryPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseRotatedHalves, RaiseHalves, RaisePairs, TakeRest>(patterns.getContext());
}
