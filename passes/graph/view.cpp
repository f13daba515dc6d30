// Values read through what exporters wrap around them: broadcasts, unit dims and constants.
#include "passes/graph/view.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

View::View(Value value) : value(value), frame(typeOf(value)) {
  for (auto [dim, extent] : llvm::enumerate(frame.getShape()))
    dims.push_back(extent == 1 ? -1 : int64_t(dim));
}

View View::ofOperand(Value operand) const {
  View view = *this;
  view.value = operand;
  return view;
}

/// The dims of the operand of a reshape that only adds or takes unit dims.
static std::optional<SmallVector<int64_t>> dimsBeforeReshape(ReshapeOp reshape,
                                                             ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> from = reshape.getOperand().getType().getShape();
  ArrayRef<int64_t> to = reshape.getType().getShape();
  SmallVector<int64_t> result;
  size_t next = 0;
  auto skipUnits = [&] {
    while (next < to.size() && to[next] == 1)
      ++next;
  };
  for (int64_t extent : from) {
    if (extent == 1) {
      result.push_back(-1);
      continue;
    }
    skipUnits();
    if (next == to.size() || to[next] != extent)
      return std::nullopt;
    result.push_back(dims[next++]);
  }
  skipUnits();
  if (next != to.size())
    return std::nullopt;
  return result;
}

View View::peeled() const {
  View view = *this;
  while (true) {
    if (auto broadcast = view.value.getDefiningOp<BroadcastOp>()) {
      SmallVector<int64_t> outer;
      for (auto [extent, dim] :
           llvm::zip_equal(broadcast.getOperand().getType().getShape(), broadcast.getDims()))
        outer.push_back(extent == 1 ? -1 : view.dims[dim]);
      view.value = broadcast.getOperand();
      view.dims = outer;
    } else if (auto reshape = view.value.getDefiningOp<ReshapeOp>()) {
      std::optional<SmallVector<int64_t>> outer = dimsBeforeReshape(reshape, view.dims);
      if (!outer)
        return view;
      view.value = reshape.getOperand();
      view.dims = *outer;
    } else {
      return view;
    }
  }
}

bool View::operator==(const View &other) const {
  View lhs = peeled(), rhs = other.peeled();
  return lhs.value == rhs.value && lhs.dims == rhs.dims;
}

Value View::from(int64_t axis, PrimitiveBuilder &builder) const {
  View view = peeled();
  SmallVector<int64_t> extents, places;
  for (auto [dim, extent] : llvm::zip_equal(view.dims, typeOf(view.value).getShape())) {
    if (dim < 0)
      continue;
    // Broadcasts keep dims in order, but reshapes may have brought a dim that is no dim any more.
    if (dim < axis)
      return {};
    extents.push_back(extent);
    places.push_back(dim - axis);
  }
  return builder.broadcast(builder.reshape(view.value, extents), frame.getShape().drop_front(axis),
                           places);
}

Value View::unrepeated(PrimitiveBuilder &builder) const {
  View view = peeled();
  SmallVector<int64_t> extents(frame.getRank(), 1);
  for (auto [dim, extent] : llvm::zip_equal(view.dims, typeOf(view.value).getShape()))
    if (dim >= 0)
      extents[dim] = extent;
  return builder.reshape(view.value, extents);
}

/// `number` as a double, after rounding to each of `casts` from the last to the first.
static double roundThrough(APFloat number, ArrayRef<FloatType> casts) {
  bool losesInfo;
  for (FloatType type : llvm::reverse(casts))
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

std::optional<double> sheaf::graph::splatOf(Value value) {
  SmallVector<FloatType> casts;
  value = View(value).peeled().value;
  while (auto op = value.getDefiningOp<CastOp>()) {
    auto type = dyn_cast<FloatType>(op.getType().getElementType());
    if (!type)
      return std::nullopt;
    casts.push_back(type);
    value = View(op.getOperand()).peeled().value;
  }
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return roundThrough(elements.getSplatValue<APFloat>(), casts);
  APInt number = elements.getSplatValue<APInt>();
  bool isUnsigned = elements.getElementType().isUnsignedInteger() || number.getBitWidth() == 1;
  return roundThrough(APFloat(number.roundToDouble(!isUnsigned)), casts);
}

bool sheaf::graph::isRounded(double value, double expected, Value like) {
  auto type = dyn_cast<FloatType>(typeOf(like).getElementType());
  if (!type)
    return value == expected;
  // Two units in the last place: exporters round the constant, and sometimes what it is made of.
  double unit = std::ldexp(1.0, 1 - int(APFloat::semanticsPrecision(type.getFloatSemantics())));
  return std::abs(value - expected) <= 2 * unit * std::abs(expected);
}

bool sheaf::graph::isSplat(Value value, double expected) {
  std::optional<double> splat = splatOf(value);
  return splat && isRounded(*splat, expected, value);
}

std::optional<Reduction> sheaf::graph::reductionOf(const View &view, ReduceKind kind) {
  View row = view.peeled();
  auto reduce = row.value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKind() != kind ||
      reduce.getOperand().getType().getShape() != view.frame.getShape())
    return std::nullopt;
  SmallVector<int64_t> kept;
  for (int64_t dim : llvm::seq(view.frame.getRank()))
    if (!llvm::is_contained(reduce.getDims(), dim))
      kept.push_back(view.frame.getDimSize(dim) == 1 ? -1 : dim);
  if (kept != row.dims)
    return std::nullopt;
  return Reduction{reduce.getOperand(), SmallVector<int64_t>(reduce.getDims())};
}

std::optional<Reduction> sheaf::graph::meanOf(const View &view) {
  View row = view.peeled();
  auto scaled = row.value.getDefiningOp<BinaryOp>();
  if (!scaled)
    return std::nullopt;
  auto divided = [&](Value sum, Value factor) -> std::optional<Reduction> {
    std::optional<Reduction> reduction = reductionOf(row.ofOperand(sum), ReduceKind::sum);
    if (!reduction)
      return std::nullopt;
    double count = 1;
    for (int64_t dim : reduction->dims)
      count *= double(view.frame.getDimSize(dim));
    double expected = scaled.getKind() == BinaryKind::div ? count : 1.0 / count;
    return isSplat(factor, expected) ? reduction : std::nullopt;
  };
  std::optional<Reduction> result;
  if (scaled.getKind() == BinaryKind::mul || scaled.getKind() == BinaryKind::div)
    result = divided(scaled.getLhs(), scaled.getRhs());
  if (!result && scaled.getKind() == BinaryKind::mul)
    result = divided(scaled.getRhs(), scaled.getLhs());
  return result;
}
