// Raises attention: a contraction of queries and keys, masks, softmax, a contraction with values.
//
// A mask chosen by `select` becomes an addend: where the fill is so low that adding a score does not
// change it, both give the same. Scores are finite, or their row is lost in either form.
#include "passes/graph/causal.h"
#include "passes/graph/heads.h"
#include "passes/graph/product.h"
#include "passes/graph/raise_patterns.h"
#include "passes/graph/visible_softmax.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// What happened to the products of queries and keys before the softmax.
struct Scores {
  explicit Scores(ContractOp product) : product(product) {}

  ContractOp product;
  double scale = 1;
  bool isCapped = false; ///< by tanh, of the product times `scale`
  double cap = 1;
  bool isCausal = false;
  std::optional<View> addend;    ///< a mask that is added
  std::optional<View> predicate; ///< of a mask that is chosen
  bool isShownWhere = true;      ///< the predicate says what is shown, or what is hidden
  double fill = 0;               ///< of what is hidden

  RankedTensorType type() const { return typeOf(ContractOp(product).getResult()); }
  bool isMasked() const { return isCausal || addend || predicate; }
};

/// Longer chains are no spelling of scores; this also bounds the search.
constexpr int kMaxDepth = 8;

std::optional<Scores> scoresOf(Value value, int depth);

bool keepsLastTwo(ReshapeOp reshape) {
  ArrayRef<int64_t> from = reshape.getOperand().getType().getShape();
  ArrayRef<int64_t> to = reshape.getType().getShape();
  return from.size() >= 2 && to.size() >= 2 && from.take_back(2) == to.take_back(2);
}

std::optional<Scores> addedScores(BinaryOp add, int depth) {
  for (auto [value, mask] : bothOrders(add, BinaryKind::add)) {
    std::optional<Scores> scores = scoresOf(value, depth + 1);
    if (!scores || scores->isMasked())
      continue;
    if (isCausalAddend(View(mask)))
      scores->isCausal = true;
    else
      scores->addend = View(mask);
    return scores;
  }
  return std::nullopt;
}

std::optional<Scores> chosenScores(SelectOp select, int depth) {
  std::optional<double> onTrue = splatOf(select.getOnTrue()),
                        onFalse = splatOf(select.getOnFalse());
  if (onTrue.has_value() == onFalse.has_value())
    return std::nullopt;
  bool isShownWhere = onFalse.has_value();
  double fill = isShownWhere ? *onFalse : *onTrue;
  std::optional<Scores> scores =
      scoresOf(isShownWhere ? select.getOnTrue() : select.getOnFalse(), depth + 1);
  if (!scores || scores->isMasked() || !isHiding(fill))
    return std::nullopt;
  View predicate(select.getPredicate());
  ArrayRef<int64_t> shape = select.getType().getShape();
  bool hasEmptyRow = shape.back() < shape[shape.size() - 2];
  if ((!hasEmptyRow || std::isinf(fill)) && isCausal(predicate, !isShownWhere)) {
    scores->isCausal = true;
    return scores;
  }
  scores->predicate = predicate;
  scores->isShownWhere = isShownWhere;
  scores->fill = fill;
  return scores;
}

/// Reads `value` down to the contraction, through scale, softcap, then masks.
std::optional<Scores> scoresOf(Value value, int depth) {
  if (depth == kMaxDepth)
    return std::nullopt;
  if (auto product = value.getDefiningOp<ContractOp>())
    return Scores(product);
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    return keepsLastTwo(reshape) ? scoresOf(reshape.getOperand(), depth + 1) : std::nullopt;
  if (auto cast = value.getDefiningOp<CastOp>()) {
    Type from = cast.getOperand().getType().getElementType();
    bool isWidening = isa<FloatType>(from) && isa<FloatType>(cast.getType().getElementType()) &&
                      from.getIntOrFloatBitWidth() < cast.getType().getElementTypeBitWidth();
    return isWidening ? scoresOf(cast.getOperand(), depth + 1) : std::nullopt;
  }
  if (Scaled scaled = scaledOf(value); scaled.x != value) {
    std::optional<Scores> scores = scoresOf(scaled.x, depth + 1);
    if (!scores || scores->isMasked())
      return std::nullopt;
    (scores->isCapped ? scores->cap : scores->scale) *= scaled.factor;
    return scores;
  }
  if (Value inner = operandOf(value, UnaryKind::tanh)) {
    std::optional<Scores> scores = scoresOf(inner, depth + 1);
    if (!scores || scores->isMasked() || scores->isCapped)
      return std::nullopt;
    scores->isCapped = true;
    return scores;
  }
  if (auto add = value.getDefiningOp<BinaryOp>())
    return addedScores(add, depth);
  if (auto select = value.getDefiningOp<SelectOp>())
    return chosenScores(select, depth);
  return std::nullopt;
}

/// The softmax over the last dim that gives the weights, through a cast, a reshape of heads or zeros
/// for a query that sees no key.
SoftmaxOp weightsOf(Value value) {
  while (true) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    auto cast = value.getDefiningOp<CastOp>();
    if (reshape && keepsLastTwo(reshape))
      value = reshape.getOperand();
    else if (cast && isa<FloatType>(cast.getOperand().getType().getElementType()))
      value = cast.getOperand();
    else
      break;
    if (!value.hasOneUse())
      return {};
  }
  if (auto select = value.getDefiningOp<SelectOp>())
    return select->hasOneUse() ? visibleSoftmax(select) : SoftmaxOp();
  auto softmax = value.getDefiningOp<SoftmaxOp>();
  bool isOverLast = softmax && int64_t(softmax.getDim()) + 1 == softmax.getType().getRank();
  return isOverLast && softmax->hasOneUse() ? softmax : SoftmaxOp();
}

/// Whether a contraction is of one free and one contracted dim on each side, with at most two batch dims.
bool isMatrixProduct(ContractOp op) {
  return op.getLhsContract().size() == 1 && op.getLhsFree().size() == 1 &&
         op.getRhsFree().size() == 1 && op.getLhsBatch().size() <= 2;
}

/// A tensor of scores' rank with unit dims as `[b, h, s, t]`.
Value asMask(Value mask, PrimitiveBuilder &builder) {
  SmallVector<int64_t> shape(typeOf(mask).getShape());
  if (shape.size() == 3)
    shape.insert(shape.begin() + 1, 1);
  while (shape.size() < 4)
    shape.insert(shape.begin(), 1);
  return builder.reshape(mask, shape);
}

Value buildMask(const Scores &scores, PrimitiveBuilder &builder) {
  if (scores.addend)
    return asMask(scores.addend->unrepeated(builder), builder);
  if (!scores.predicate)
    return {};
  Value predicate = asMask(scores.predicate->unrepeated(builder), builder);
  auto type = typeOf(predicate).clone(scores.type().getElementType());
  Value shown = builder.splat(type, 0), hidden = builder.splat(type, scores.fill);
  return scores.isShownWhere ? builder.select(predicate, shown, hidden)
                             : builder.select(predicate, hidden, shown);
}

struct RaiseAttention : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    SoftmaxOp softmax = weightsOf(op.getLhs());
    int64_t rank = op.getLhs().getType().getRank();
    if (!softmax || !isMatrixProduct(op) || op.getLhsContract().front() + 1 != rank ||
        op.getLhsFree().front() + 2 != rank || !llvm::is_sorted(op.getLhsBatch()))
      return rewriter.notifyMatchFailure(op, "no product of softmax weights and values");
    std::optional<Scores> scores = scoresOf(softmax.getOperand(), 0);
    if (!scores || !isMatrixProduct(scores->product) ||
        scores->product.getLhsBatch().size() != op.getLhsBatch().size())
      return rewriter.notifyMatchFailure(op, "the softmax is not of masked products of heads");
    ContractOp product = scores->product;
    Heads query = Heads::of(product.getLhs(), product.getLhsBatch(), product.getLhsFree().front(),
                            product.getLhsContract().front());
    Heads key = Heads::of(product.getRhs(), product.getRhsBatch(), product.getRhsFree().front(),
                          product.getRhsContract().front());
    Heads value = Heads::of(op.getRhs(), op.getRhsBatch(), op.getRhsContract().front(),
                            op.getRhsFree().front());
    Type element = typeOf(query.value).getElementType();
    if (!isa<FloatType>(element) || typeOf(key.value).getElementType() != element ||
        typeOf(value.value).getElementType() != element || op.getType().getElementType() != element)
      return rewriter.notifyMatchFailure(op, "queries, keys, values and result differ in type");
    replace(op, softmax, *scores, query, key, value, rewriter);
    return success();
  }

private:
  static void replace(ContractOp op, SoftmaxOp softmax, const Scores &scores, const Heads &query,
                      const Heads &key, const Heads &value, PatternRewriter &rewriter) {
    PrimitiveBuilder builder(op.getLoc(), rewriter);
    // Masks say how batch and heads lie in the scores; without one, the contraction does.
    const View *mask = scores.addend      ? &*scores.addend
                       : scores.predicate ? &*scores.predicate
                                          : nullptr;
    ArrayRef<int64_t> shape = mask ? mask->frame.getShape() : scores.type().getShape();
    int64_t b = shape.size() > 2 ? shape.front() : 1;
    Value keys = key.value, values = value.value;
    Value keyGroups = key.beforeRepeat(builder), valueGroups = value.beforeRepeat(builder);
    if (keyGroups && valueGroups && key.numHeads(keyGroups) == value.numHeads(valueGroups)) {
      keys = keyGroups;
      values = valueGroups;
    }
    double scale = scores.scale * query.scale * key.scale;
    double softcap = scores.isCapped ? scores.cap : 0;
    Value attention = AttentionOp::create(
        builder, query.arranged(query.value, b, builder), key.arranged(keys, b, builder),
        value.arranged(values, b, builder), buildMask(scores, builder),
        builder.getF64FloatAttr(scores.isCapped ? scale * softcap : scale),
        scores.isCausal ? builder.getUnitAttr() : UnitAttr(), builder.getF64FloatAttr(softcap));
    Value result = builder.reshape(attention, op.getType().getShape());
    if (value.scale != 1)
      result = builder.binary(BinaryKind::mul, result, value.scale);
    rewriter.replaceOp(op, result);
  }
};

} // namespace

void sheaf::graph::populateRaiseAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseAttention>(patterns.getContext());
}
