// Recognizes the causal mask, however it is written.
#include "passes/graph/causal.h"

#include "mlir/IR/Matchers.h"
#include "passes/graph/product.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// The extents of scores, the last two dims of a frame.
struct ScoreDims {
  int64_t query, key; // Which dims of the frame.
  int64_t s, t;       // Their extents.

  explicit ScoreDims(RankedTensorType frame)
      : query(frame.getRank() - 2), key(frame.getRank() - 1), s(frame.getDimSize(query)),
        t(frame.getDimSize(key)) {}
  bool isVisible(int64_t i, int64_t j) const { return j <= i + t - s; }
};

/// `ofQuery * i + ofKey * j + offset` for query `i` and key `j`.
struct Position {
  int64_t ofQuery = 0, ofKey = 0, offset = 0;

  Position plus(const Position &other, int64_t factor) const {
    return {ofQuery + factor * other.ofQuery, ofKey + factor * other.ofKey,
            offset + factor * other.offset};
  }
  bool operator==(const Position &other) const {
    return ofQuery == other.ofQuery && ofKey == other.ofKey && offset == other.offset;
  }
};

/// Deeper expressions are no spelling of positions.
constexpr int kMaxDepth = 8;

/// The position of index 0, 1, .. along a dim of the frame.
std::optional<Position> alongDim(int64_t frameDim, const ScoreDims &dims) {
  if (frameDim == dims.query)
    return Position{1, 0, 0};
  if (frameDim == dims.key)
    return Position{0, 1, 0};
  return std::nullopt;
}

/// A constant that counts up along one dim, such as a folded range.
std::optional<Position> countingConstant(const View &view, const ScoreDims &dims) {
  DenseIntElementsAttr elements;
  if (!matchPattern(view.value, m_Constant(&elements)) || elements.empty())
    return std::nullopt;
  int64_t frameDim = -1;
  for (int64_t dim : view.dims) {
    if (dim >= 0 && frameDim >= 0)
      return std::nullopt;
    frameDim = std::max(frameDim, dim);
  }
  std::optional<Position> position = alongDim(frameDim, dims);
  if (!position || elements.getElementType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  int64_t first = (*elements.begin()).getSExtValue();
  for (auto [index, value] : llvm::enumerate(elements.getValues<APInt>()))
    if (value.getSExtValue() != first + int64_t(index))
      return std::nullopt;
  position->offset = first;
  return position;
}

std::optional<Position> positionOf(const View &outer, const ScoreDims &dims, int depth = 0) {
  View view = outer.peeled();
  if (depth == kMaxDepth)
    return std::nullopt;
  if (std::optional<double> splat = splatOf(view.value)) {
    if (std::abs(*splat) > 1e15 || *splat != std::floor(*splat))
      return std::nullopt;
    return Position{0, 0, int64_t(*splat)};
  }
  if (auto iota = view.value.getDefiningOp<IotaOp>())
    return alongDim(view.dims[iota.getDim()], dims);
  if (auto cast = view.value.getDefiningOp<CastOp>())
    return positionOf(view.ofOperand(cast.getOperand()), dims, depth + 1);
  if (auto op = view.value.getDefiningOp<BinaryOp>();
      op && (op.getKind() == BinaryKind::add || op.getKind() == BinaryKind::sub)) {
    std::optional<Position> lhs = positionOf(view.ofOperand(op.getLhs()), dims, depth + 1);
    std::optional<Position> rhs = positionOf(view.ofOperand(op.getRhs()), dims, depth + 1);
    if (!lhs || !rhs)
      return std::nullopt;
    return lhs->plus(*rhs, op.getKind() == BinaryKind::add ? 1 : -1);
  }
  return countingConstant(view, dims);
}

/// The expression that is at most 0 exactly where the comparison holds.
std::optional<Position> atMostZero(CompareKind kind, const Position &lhs, const Position &rhs) {
  switch (kind) {
  case CompareKind::le:
    return lhs.plus(rhs, -1);
  case CompareKind::lt:
    return lhs.plus(rhs, -1).plus({0, 0, 1}, 1);
  case CompareKind::ge:
    return rhs.plus(lhs, -1);
  case CompareKind::gt:
    return rhs.plus(lhs, -1).plus({0, 0, 1}, 1);
  default:
    return std::nullopt;
  }
}

/// Whether `holds(element, isVisible)` for all scores of a constant, in every head it has.
template <typename Element, typename Claim>
bool allScores(const View &view, const ScoreDims &dims, Claim holds) {
  DenseElementsAttr elements;
  if (!matchPattern(view.value, m_Constant(&elements)))
    return false;
  // Queries and keys are the last dims that are left, in this order.
  SmallVector<int64_t> left;
  llvm::copy_if(view.dims, std::back_inserter(left), [](int64_t dim) { return dim >= 0; });
  bool hasQuery = dims.s == 1 || llvm::is_contained(left, dims.query);
  bool hasKey = dims.t == 1 || llvm::is_contained(left, dims.key);
  if (!hasQuery || !hasKey || !llvm::is_sorted(left))
    return false;
  for (auto [index, element] : llvm::enumerate(elements.getValues<Element>())) {
    int64_t place = int64_t(index) % (dims.s * dims.t);
    if (!holds(element, dims.isVisible(place / dims.t, place % dims.t)))
      return false;
  }
  return true;
}

} // namespace

bool sheaf::graph::isHiding(double value) { return value <= -1e30; }

bool sheaf::graph::isCausal(const View &predicate, bool isHidden) {
  View view = predicate.peeled();
  if (view.frame.getRank() < 2)
    return false;
  ScoreDims dims(view.frame);
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    Value negated = operandOf(view.value, UnaryKind::bitwise_not);
    if (!negated)
      break;
    isHidden = !isHidden;
    view = view.ofOperand(negated).peeled();
  }
  auto compare = view.value.getDefiningOp<CompareOp>();
  if (!compare)
    return allScores<bool>(
        view, dims, [&](bool holds, bool isVisible) { return holds == (isVisible != isHidden); });
  std::optional<Position> lhs = positionOf(view.ofOperand(compare.getLhs()), dims);
  std::optional<Position> rhs = positionOf(view.ofOperand(compare.getRhs()), dims);
  if (!lhs || !rhs)
    return false;
  std::optional<Position> position = atMostZero(compare.getKind(), *lhs, *rhs);
  if (position && isHidden) // The complement: 1 - position <= 0.
    position = Position{0, 0, 1}.plus(*position, -1);
  return position && *position == Position{-1, 1, dims.s - dims.t};
}

bool sheaf::graph::isCausalAddend(const View &mask) {
  View view = mask.peeled();
  if (view.frame.getRank() < 2)
    return false;
  ScoreDims dims(view.frame);
  // Where no key is visible, a finite mask gives equal weights and an infinite one gives NaN.
  bool hasEmptyRow = dims.t < dims.s;
  auto hides = [&](double value) { return isHiding(value) && (!hasEmptyRow || std::isinf(value)); };
  if (auto select = view.value.getDefiningOp<SelectOp>()) {
    std::optional<double> onTrue = splatOf(select.getOnTrue());
    std::optional<double> onFalse = splatOf(select.getOnFalse());
    View predicate = view.ofOperand(select.getPredicate());
    return onTrue && onFalse &&
           ((*onTrue == 0 && hides(*onFalse) && isCausal(predicate, /*isHidden=*/false)) ||
            (*onFalse == 0 && hides(*onTrue) && isCausal(predicate, /*isHidden=*/true)));
  }
  if (!isa<FloatType>(cast<RankedTensorType>(view.value.getType()).getElementType()))
    return false;
  return allScores<APFloat>(view, dims, [&](APFloat value, bool isVisible) {
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return isVisible ? value.isZero() : hides(value.convertToDouble());
  });
}
