// Drops scatters that write to every place in order, as exporters spell an assignment to all of a tensor.
#include "dialects/graph/fold/constant.h"
#include "dialects/graph/fold/element.h"
#include "dialects/graph/graph.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Whether every element of a constant is its own index along `dim`.
bool isIndexAlong(Attribute value, int64_t dim) {
  std::optional<Constant> constant = Constant::of(value);
  if (!constant || !constant->isReadable())
    return false;
  Element element(constant->getType().getElementType());
  ArrayRef<int64_t> shape = constant->getType().getShape();
  int64_t stride = ShapedType::getNumElements(shape.drop_front(dim + 1));
  for (int64_t i = 0; i < constant->size(); ++i)
    if (static_cast<int64_t>(element.extend((*constant)[i])) != i / stride % shape[dim])
      return false;
  return true;
}

/// The dim of `from` that dim `dim` of `to` is, when a reshape only adds and drops extents of 1.
std::optional<int64_t> sameDim(ArrayRef<int64_t> from, ArrayRef<int64_t> to, int64_t dim) {
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (!llvm::equal(llvm::make_filter_range(from, isLong), llvm::make_filter_range(to, isLong)))
    return std::nullopt;
  int64_t place = llvm::count_if(to.take_front(dim), isLong);
  for (auto [index, extent] : llvm::enumerate(from))
    if (isLong(extent) && place-- == 0)
      return index;
  return std::nullopt;
}

/// Whether every element of `value` is its own index along `dim`; where the extent is 1, that is 0.
bool isIndexAlong(Value value, int64_t dim) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape[dim] == 1 && matchPattern(value, m_Zero()))
    return true;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return isIndexAlong(constant, dim);
  if (auto iota = value.getDefiningOp<IotaOp>())
    return iota.getDim() == dim;
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    const auto *from = llvm::find(broadcast.getDims(), dim);
    int64_t operandDim = from - broadcast.getDims().begin();
    return from != broadcast.getDims().end() &&
           broadcast.getOperand().getType().getDimSize(operandDim) == shape[dim] &&
           isIndexAlong(broadcast.getOperand(), operandDim);
  }
  if (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    std::optional<int64_t> from = sameDim(reshape.getOperand().getType().getShape(), shape, dim);
    return shape[dim] != 1 && from && isIndexAlong(reshape.getOperand(), *from);
  }
  return false;
}

/// scatter_nd set(x, all places, u) = u.
struct DropWholeAssignment : OpRewritePattern<ScatterNDOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterNDOp op, PatternRewriter &rewriter) const override {
    auto places = op.getIndices().getDefiningOp<ConcatOp>();
    if (op.getKind() != ScatterKind::set || op.getUpdates().getType() != op.getType() || !places)
      return rewriter.notifyMatchFailure(op, "not an assignment to computed places");
    int64_t rank = op.getType().getRank();
    if (places.getDim() != rank || int64_t(places.getOperands().size()) != rank)
      return rewriter.notifyMatchFailure(op, "the places are not joined one index after another");
    for (auto [dim, index] : llvm::enumerate(places.getOperands()))
      if (!isIndexAlong(index, dim))
        return rewriter.notifyMatchFailure(op, "not to every place in order");
    rewriter.replaceOp(op, op.getUpdates());
    return success();
  }
};

} // namespace

void ScatterNDOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropWholeAssignment>(context);
}
