// Builds primitive graph ops tersely: what decompositions and rewrites are written in.
#include "dialects/graph/primitive_builder.h"

#include "dialects/graph/fold/element.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

FloatType sheaf::graph::computeTypeOf(Type elementType) {
  auto type = cast<FloatType>(elementType);
  return type.getWidth() < 32 ? Float32Type::get(type.getContext()) : type;
}

static APInt integerOf(Type type, double value) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (std::isinf(value))
    return APInt(width, value < 0 ? *Element(type).lowest() : *Element(type).highest());
  return APInt(width, int64_t(value), /*isSigned=*/true, /*implicitTrunc=*/true);
}

Value PrimitiveBuilder::splat(RankedTensorType type, double value) {
  Attribute element;
  if (auto floatType = dyn_cast<FloatType>(type.getElementType()))
    element = getFloatAttr(floatType, value);
  else
    element = IntegerAttr::get(type.getElementType(), integerOf(type.getElementType(), value));
  return ConstantOp::create(*this, DenseElementsAttr::get(type, element));
}

Value PrimitiveBuilder::splatLike(Value like, double value) { return splat(typeOf(like), value); }

Value PrimitiveBuilder::unary(UnaryKind kind, Value x) {
  return UnaryOp::create(*this, x.getType(), kind, x);
}

Value PrimitiveBuilder::binary(BinaryKind kind, Value lhs, Value rhs) {
  return BinaryOp::create(*this, lhs.getType(), kind, lhs, rhs);
}

Value PrimitiveBuilder::binary(BinaryKind kind, Value lhs, double rhs) {
  return binary(kind, lhs, splatLike(lhs, rhs));
}

Value PrimitiveBuilder::compare(CompareKind kind, Value lhs, Value rhs) {
  return CompareOp::create(*this, kind, lhs, rhs);
}

Value PrimitiveBuilder::select(Value predicate, Value onTrue, Value onFalse) {
  return SelectOp::create(*this, onTrue.getType(), predicate, onTrue, onFalse);
}

Value PrimitiveBuilder::cast(Value x, Type elementType) {
  if (typeOf(x).getElementType() == elementType)
    return x;
  return CastOp::create(*this, typeOf(x).clone(elementType), x);
}

Value PrimitiveBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims) {
  return ReduceOp::create(*this, kind, x, dims);
}

Value PrimitiveBuilder::mean(Value x, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= typeOf(x).getDimSize(dim);
  return binary(BinaryKind::mul, reduce(ReduceKind::sum, x, dims), 1.0 / double(count));
}

Value PrimitiveBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  if (typeOf(x).getShape() == shape)
    return x;
  return ReshapeOp::create(*this, typeOf(x).clone(shape), x);
}

Value PrimitiveBuilder::broadcast(Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  if (typeOf(x).getShape() == shape)
    return x;
  return BroadcastOp::create(*this, typeOf(x).clone(shape), x, dims);
}

Value PrimitiveBuilder::sumTo(Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> summed;
  for (auto [dim, extent] : llvm::enumerate(typeOf(x).getShape())) {
    const int64_t *place = llvm::find(dims, int64_t(dim));
    if (place == dims.end() || (shape[place - dims.begin()] == 1 && extent != 1))
      summed.push_back(dim);
  }
  if (!summed.empty())
    x = reduce(ReduceKind::sum, x, summed);
  return reshape(x, shape);
}

Value PrimitiveBuilder::spread(Value reduced, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim : llvm::seq<int64_t>(shape.size()))
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  return broadcast(reduced, shape, kept);
}

Value PrimitiveBuilder::slice(Value x, int64_t dim, int64_t start, int64_t limit) {
  SmallVector<int64_t> starts(typeOf(x).getRank(), 0), limits(typeOf(x).getShape());
  SmallVector<int64_t> strides(typeOf(x).getRank(), 1);
  starts[dim] = start;
  limits[dim] = limit;
  return SliceOp::create(*this, x, starts, limits, strides);
}
