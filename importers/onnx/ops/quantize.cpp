// Quantization: QuantizeLinear and its inverse, integer and quantized products.
#include "importers/onnx/window_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Scales and zero points in a shape that broadcasts against `x`: one number, one per place along `axis`,
/// or one per block along it.
Value spreadParameter(Node &n, Value parameter, Value x, int64_t axis, int64_t blockSize) {
  if (!parameter || n.failed())
    return {};
  int64_t rank = n.rank(x);
  if (n.type(parameter).getNumElements() == 1)
    return n.reshape(parameter, {});
  if (blockSize == 0 || n.rank(parameter) == 1) {
    if (n.rank(parameter) == rank && rank > 1)
      return parameter;
    SmallVector<int64_t> shape(rank, 1);
    if (n.rank(parameter) != 1 || rank == 0 || n.dim(parameter, 0) != n.dim(x, axis)) {
      n.fail("scale or zero point of shape " + shapeText(n.shape(parameter)) +
             " does not fit axis " + Twine(axis) + " of " + shapeText(n.shape(x)));
      return {};
    }
    shape[axis] = n.dim(x, axis);
    return n.reshape(parameter, shape);
  }
  SmallVector<int64_t> spread(n.shape(parameter)), merged, dims;
  int64_t blocks = n.dim(parameter, axis), extent = n.dim(x, axis);
  if (n.rank(parameter) != rank || blockSize < 0 || blocks == 0 ||
      blockSize > std::max<int64_t>(extent, 1) || blocks != (extent + blockSize - 1) / blockSize) {
    n.fail("block_size " + Twine(blockSize) + " does not fit " + Twine(blocks) + " blocks of " +
           Twine(extent));
    return {};
  }
  merged = spread;
  merged[axis] = blocks * blockSize;
  spread.insert(spread.begin() + axis + 1, blockSize);
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(dim <= axis ? dim : dim + 1);
  Value repeated = n.reshape(n.broadcastDims(parameter, spread, dims), merged);
  return n.sliceDim(repeated, axis, 0, extent);
}

/// The least and largest number of an integer type.
std::pair<double, double> rangeOf(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger())
    return {0, std::exp2(bits) - 1};
  return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

/// Rounds to nearest even, shifts and clamps to `element`; for narrow floats casts, saturating.
Value quantized(Node &n, Value scaled, Value zero, Type element, bool saturate) {
  if (n.failed())
    return {};
  if (isa<FloatType>(element)) {
    if (zero)
      scaled = n.add(scaled, n.cast(zero, n.element(scaled)));
    return n.cast(scaled, element, saturate);
  }
  auto [least, most] = rangeOf(element);
  Type wide = Float32Type::get(n.context());
  Value rounded = n.unary(UnaryKind::round, n.cast(scaled, wide));
  if (zero)
    rounded = n.add(rounded, n.cast(zero, wide));
  Value clamped = n.min(n.max(rounded, n.scalar(wide, least)), n.scalar(wide, most));
  return n.cast(clamped, element);
}

void importQuantizeLinear(Node &n) {
  n.expectInputs(2, 3);
  Value x = n.input(0), scale = n.input(1), zero = n.optional(2);
  int64_t axis = n.integer("axis", 1), blockSize = n.integer("block_size", 0);
  bool saturate = n.integer("saturate", 1) != 0;
  Type element = n.elementTypeAttribute("output_dtype"),
       precision = n.elementTypeAttribute("precision");
  if (zero)
    element = n.element(zero);
  if (!element)
    element = IntegerType::get(n.context(), 8, IntegerType::Unsigned);
  if (n.failed())
    return;
  bool isPerTensor = n.type(scale).getNumElements() == 1;
  axis = isPerTensor ? 0 : n.axis(axis, n.rank(x));
  // The quotient is taken in f32, or as `precision` says.
  Type wide = precision ? precision : n.element(x);
  if (!isa<FloatType>(wide) || wide.getIntOrFloatBitWidth() < 32)
    wide = Float32Type::get(n.context());
  Value divisor = spreadParameter(n, n.cast(scale, wide), x, axis, blockSize);
  Value shift = spreadParameter(n, zero, x, axis, blockSize);
  Value result = quantized(n, n.div(n.cast(x, wide), divisor), shift, element, saturate);
  n.output(0, result);
}

void importDequantizeLinear(Node &n) {
  n.expectInputs(2, 3);
  Value x = n.input(0), scale = n.input(1), zero = n.optional(2);
  int64_t axis = n.integer("axis", 1), blockSize = n.integer("block_size", 0);
  Type element = n.elementTypeAttribute("output_dtype");
  if (n.failed())
    return;
  axis = n.type(scale).getNumElements() == 1 ? 0 : n.axis(axis, n.rank(x));
  Type wide = n.element(scale);
  if (!isa<FloatType>(wide))
    return n.fail("the scale is not a float");
  if (wide.getIntOrFloatBitWidth() < 16)
    wide = Float32Type::get(n.context());
  // Narrow integers are subtracted exactly in i32, i32 itself in its own type.
  Value value = x;
  if (zero) {
    Type exact = n.isFloat(x) ? wide : Type(IntegerType::get(n.context(), 32));
    value = n.sub(n.cast(x, exact), n.cast(spreadParameter(n, zero, x, axis, blockSize), exact));
  }
  Value factor = spreadParameter(n, n.cast(scale, wide), x, axis, blockSize);
  Value result = n.mul(n.cast(value, wide), factor);
  n.output(0, n.cast(result, element ? element : n.element(scale)));
}

/// Scale and zero point so that 0 and all of x are in range of ui8.
void importDynamicQuantizeLinear(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0), zero = n.number(0, x);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(x)));
  Value least = n.min(n.reduce(ReduceKind::min, x, dims), zero);
  Value most = n.max(n.reduce(ReduceKind::max, x, dims), zero);
  Value scale = n.div(n.sub(most, least), n.number(255, x));
  Value isFlat = n.compare(CompareKind::eq, scale, zero);
  Value divisor = n.select(isFlat, n.number(1, x), scale);
  Type byte = IntegerType::get(n.context(), 8, IntegerType::Unsigned);
  Value shift = n.unary(UnaryKind::round, n.div(n.neg(least), divisor));
  shift = n.min(n.max(shift, zero), n.number(255, x));
  Value zeroPoint = n.cast(shift, byte);
  n.output(0, quantized(n, n.div(x, divisor), zeroPoint, byte, true));
  n.output(1, scale);
  n.output(2, zeroPoint);
}

/// An operand less its zero point, in i32. Per-row and per-column zero points have rank 1.
Value centered(Node &n, Value value, Value zero, bool isRight) {
  Type i32 = IntegerType::get(n.context(), 32);
  value = n.cast(value, i32);
  if (!zero || n.failed())
    return value;
  zero = n.cast(zero, i32);
  if (n.type(zero).getNumElements() == 1)
    zero = n.reshape(zero, {});
  else if (n.rank(zero) == 1 && !isRight)
    zero = n.unsqueeze(zero, {1});
  return n.sub(value, zero);
}

void importMatMulInteger(Node &n) {
  n.expectInputs(2, 4);
  Value a = centered(n, n.input(0), n.optional(2), false);
  Value b = centered(n, n.input(1), n.optional(3), true);
  n.output(0, n.matmul(a, b));
}

/// `scale_a scale_b / scale_y`, each one number or a vector.
Value combinedScale(Node &n, Value a, Value b, Value y) {
  Type f32 = Float32Type::get(n.context());
  auto number = [&](Value scale) {
    Value wide = n.cast(scale, f32);
    return !n.failed() && n.type(wide).getNumElements() == 1 ? n.reshape(wide, {}) : wide;
  };
  return n.div(n.mul(number(a), number(b)), number(y));
}

void importQLinearMatMul(Node &n) {
  n.expectInputs(8, 8);
  Value a = centered(n, n.input(0), n.input(2), false);
  Value b = centered(n, n.input(3), n.input(5), true);
  Value product = n.cast(n.matmul(a, b), Float32Type::get(n.context()));
  Value rowScale = n.input(1);
  if (n.rank(rowScale) == 1 && n.dim(rowScale, 0) != 1)
    rowScale = n.unsqueeze(rowScale, {1});
  Value scaled = n.mul(product, combinedScale(n, rowScale, n.input(4), n.input(6)));
  Value zero = n.input(7);
  if (!n.failed() && n.type(zero).getNumElements() == 1)
    zero = n.reshape(zero, {});
  n.output(0, quantized(n, scaled, zero, n.element(zero), true));
}

void importQLinearConv(Node &n) {
  n.expectInputs(8, 9);
  Value x = n.input(0), filter = n.input(3), filterZero = n.input(5);
  ArrayRef<int64_t> space = spaceOf(n, x);
  if (!n.failed() && n.rank(filter) != n.rank(x))
    n.fail("the filter has rank " + Twine(n.rank(filter)) + ", the input " + Twine(n.rank(x)));
  if (n.failed())
    return;
  ArrayRef<int64_t> window = n.shape(filter).drop_front(2);
  n.ignore("kernel_shape");
  WindowForm form = readWindowForm(n, space, window);
  int64_t groups = n.integer("group", 1);
  Type i32 = IntegerType::get(n.context(), 32);
  Value a = centered(n, x, n.input(2), true), b = n.cast(filter, i32);
  bool isPerChannel = !n.failed() && n.type(filterZero).getNumElements() != 1;
  Value zero = n.cast(filterZero, i32);
  b = n.sub(b, isPerChannel ? n.broadcastDims(zero, n.shape(b), {0}) : n.reshape(zero, {}));
  if (n.failed())
    return;
  Value sum = n.make<ConvOp>(a, b, form.strides, form.low, form.high, form.dilations, groups);
  if (n.has(8))
    sum = n.add(sum, n.broadcastDims(n.input(8), n.shape(sum), {1}));
  Value scale = combinedScale(n, n.input(1), n.input(4), n.input(6));
  if (n.rank(scale) == 1)
    scale = n.broadcastDims(scale, n.shape(sum), {1});
  Value scaled = n.mul(n.cast(sum, Float32Type::get(n.context())), scale);
  n.output(0, quantized(n, scaled, n.reshape(n.input(7), {}), n.element(n.input(7)), true));
}

} // namespace

void registerQuantize(OpTable &table) {
  table.add("DequantizeLinear", importDequantizeLinear, 10);
  table.add("DynamicQuantizeLinear", importDynamicQuantizeLinear, 11);
  table.add("MatMulInteger", importMatMulInteger, 10);
  table.add("QLinearConv", importQLinearConv, 10);
  table.add("QLinearMatMul", importQLinearMatMul, 10);
  table.add("QuantizeLinear", importQuantizeLinear, 10);
  table.addTo(kMicrosoft, "DequantizeLinear", importDequantizeLinear);
  table.addTo(kMicrosoft, "QuantizeLinear", importQuantizeLinear);
}

} // namespace sheaf::onnx
