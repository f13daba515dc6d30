// Operators that make tensors: Constant, ConstantOfShape, Range, EyeLike, OneHot, casts.
#include "importers/onnx/element_type.h"
#include "importers/onnx/node.h"
#include "importers/onnx/tensor.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr int64_t kMostShapeNumbers = 4096;

TypedAttr decoded(Node &n, const ::onnx::TensorProto &tensor) {
  auto value = n.decode(tensor);
  if (value)
    return *value;
  n.fail("its value " + llvm::toString(value.takeError()));
  return {};
}

void importConstant(Node &n) {
  n.expectInputs(0, 0);
  if (const auto *tensor = n.tensor("value")) {
    TypedAttr value = decoded(n, *tensor);
    return n.output(0, value ? n.constant(value) : Value());
  }
  Type f32 = Float32Type::get(n.context());
  if (n.hasAttribute("value_float"))
    return n.output(0, n.scalar(f32, n.real("value_float", 0)));
  if (n.hasAttribute("value_int"))
    return n.output(0, n.reshape(n.ints({n.integer("value_int", 0)}), {}));
  if (n.hasAttribute("value_ints"))
    return n.output(0, n.ints(n.integers("value_ints")));
  if (n.hasAttribute("value_floats")) {
    SmallVector<double> values = n.reals("value_floats");
    return n.output(0, n.floats(values, {static_cast<int64_t>(values.size())}, f32));
  }
  for (StringRef name : {"value_string", "value_strings", "sparse_value"})
    if (n.hasAttribute(name))
      return n.fail(name + " is not supported");
  n.fail("has no value");
}

void importConstantOfShape(Node &n) {
  n.expectInputs(1, 1);
  SmallVector<int64_t> shape = n.constantInts(0, "shape");
  DenseElementsAttr fill;
  if (const auto *tensor = n.tensor("value")) {
    fill = llvm::dyn_cast_or_null<DenseElementsAttr>(decoded(n, *tensor));
    if (!n.failed() && (!fill || fill.getNumElements() != 1))
      n.fail("value must have one element");
  } else {
    Type f32 = Float32Type::get(n.context());
    fill = DenseElementsAttr::get(RankedTensorType::get({1}, f32), 0.0f);
  }
  if (n.failed())
    return;
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return n.fail("shape has a negative extent");
  auto type = RankedTensorType::get(shape, fill.getElementType());
  if (shape.size() > kMaxRank || !storedBytes(type))
    return n.fail("shape has more elements than 64 bits can count");
  n.output(0, n.constant(fill.reshape(fill.getType().clone({1})).resizeSplat(type)));
}

/// Before opset 6 the type is a word.
void importCastByName(Node &n) {
  n.expectInputs(1, 1);
  std::string name = n.string("to", "");
  ::onnx::TensorProto::DataType type;
  Type element;
  if (::onnx::TensorProto::DataType_Parse(name, &type))
    element = elementType(n.context(), type);
  if (!element)
    n.fail("element type \"" + name + "\" is not supported");
  n.output(0, n.cast(n.input(0), element));
}

/// `round_mode` is of float8e8m0 alone, whose powers of two are rounded up by default.
Value castTo(Node &n, Type element) {
  bool saturate = n.integer("saturate", 1) != 0;
  std::string rounding = n.string("round_mode", "up");
  if (n.failed())
    return {};
  bool isPower = isa<Float8E8M0FNUType>(element);
  if (isPower && !n.isFloat(n.input(0)))
    n.fail("integers to float8e8m0 are not supported");
  if (isPower && rounding != "up")
    n.fail("round_mode " + rounding + " is not supported");
  return n.cast(n.input(0), element, saturate);
}

void importCast(Node &n) {
  n.expectInputs(1, 1);
  Type element = n.elementTypeAttribute("to");
  if (!element && !n.failed())
    n.fail("the attribute \"to\" is missing");
  n.output(0, castTo(n, element));
}

void importCastLike(Node &n) {
  n.expectInputs(2, 2);
  n.output(0, castTo(n, n.element(n.input(1))));
}

/// `start, start + delta, ..` below `limit`, of constants.
void importRange(Node &n) {
  n.expectInputs(3, 3);
  n.ignore("stash_type");
  constexpr StringRef names[] = {"start", "limit", "delta"};
  SmallVector<double> bounds;
  for (auto [index, what] : llvm::enumerate(names)) {
    SmallVector<double> value = n.constantFloats(index, what);
    if (!n.failed() && value.size() != 1)
      n.fail(what + " must be one number");
    if (n.failed())
      return;
    bounds.push_back(value.front());
  }
  Value start = n.input(0);
  double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (bounds[2] == 0 || std::isnan(count) || count > 9e15)
    return n.fail("delta is 0 or the range has no end");
  int64_t length = std::max<int64_t>(static_cast<int64_t>(count), 0);
  if (isa<IntegerType>(n.element(start)) && length <= kMostShapeNumbers) { // May decide a shape.
    SmallVector<int64_t> values;
    for (int64_t index = 0; index < length; ++index)
      values.push_back(static_cast<int64_t>(bounds[0]) + index * static_cast<int64_t>(bounds[2]));
    return n.output(0, n.cast(n.ints(values), n.element(start)));
  }
  Value places = n.iota({length}, n.element(start), 0);
  Value scaled = n.mul(places, n.reshape(n.input(2), {}));
  n.output(0, n.add(scaled, n.reshape(start, {})));
}

void importEyeLike(Node &n) {
  n.expectInputs(1, 1);
  Value like = n.input(0);
  Type element = n.elementTypeAttribute("dtype");
  int64_t k = n.integer("k", 0);
  if (!n.failed() && n.rank(like) != 2)
    return n.fail("the input has rank " + Twine(n.rank(like)) + ", not 2");
  if (n.failed())
    return;
  k = std::clamp<int64_t>(k, -n.dim(like, 0) - 1, n.dim(like, 1) + 1);
  Type index = IntegerType::get(n.context(), 64);
  Value offset = n.sub(n.iota(n.shape(like), index, 1), n.iota(n.shape(like), index, 0));
  Value isOn = n.compare(CompareKind::eq, offset, n.scalar(index, static_cast<double>(k)));
  n.output(0, n.cast(isOn, element ? element : n.element(like)));
}

/// Negative indices count from the end; those out of range give a row of off values.
void importOneHot(Node &n) {
  n.expectInputs(3, 3);
  Value indices = n.input(0), values = n.input(2);
  SmallVector<double> depths = n.constantFloats(1, "depth");
  int64_t axis = n.axis(n.integer("axis", -1), n.rank(indices) + 1);
  if (!n.failed() && (depths.size() != 1 || depths[0] < 0 || depths[0] > 9e15))
    n.fail("depth is not one natural number");
  if (!n.failed() && n.type(values).getNumElements() != 2)
    n.fail("values must be an off and an on value");
  if (n.failed())
    return;
  auto depth = static_cast<int64_t>(depths[0]);
  Type i64 = IntegerType::get(n.context(), 64);
  Value places = n.cast(indices, i64), count = n.scalar(i64, static_cast<double>(depth));
  Value isNegative = n.compare(CompareKind::lt, places, n.scalar(i64, 0));
  places = n.unsqueeze(n.select(isNegative, n.add(places, count), places), {axis});
  SmallVector<int64_t> shape(n.shape(places));
  if (n.failed())
    return;
  shape[axis] = depth;
  Value isOn = n.compare(CompareKind::eq, n.broadcast(places, shape), n.iota(shape, i64, axis));
  Value flat = n.reshape(values, {2});
  n.output(0, n.select(isOn, n.reshape(n.sliceDim(flat, 0, 1, 2), {}),
                       n.reshape(n.sliceDim(flat, 0, 0, 1), {})));
}

} // namespace

void registerConstant(OpTable &table) {
  table.add("Cast", importCastByName, 1, 5);
  table.add("Cast", importCast, 6);
  table.add("CastLike", importCastLike, 15);
  table.add("Constant", importConstant);
  table.add("ConstantOfShape", importConstantOfShape, 9);
  table.add("EyeLike", importEyeLike, 9);
  table.add("OneHot", importOneHot, 9);
  table.add("Range", importRange, 11);
}

} // namespace sheaf::onnx
