// Convolutions.
#include "importers/onnx/window_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Adds a bias per channel.
Value addBias(Node &n, Value value, Value bias) {
  if (!bias || n.failed())
    return value;
  return n.add(value, n.broadcastDims(bias, n.shape(value), {1}));
}

Value convolve(Node &n, Value x, Value filter) {
  ArrayRef<int64_t> space = spaceOf(n, x);
  if (!n.failed() && n.rank(filter) != n.rank(x))
    n.fail("the filter has rank " + Twine(n.rank(filter)) + ", the input " + Twine(n.rank(x)));
  if (n.failed())
    return {};
  ArrayRef<int64_t> window = n.shape(filter).drop_front(2);
  if (SmallVector<int64_t> declared = n.integers("kernel_shape", window);
      ArrayRef(declared) != window)
    n.fail("kernel_shape differs from the filter's " + shapeText(window));
  WindowForm form = readWindowForm(n, space, window);
  int64_t groups = n.integer("group", 1);
  if (n.failed())
    return {};
  return n.make<ConvOp>(x, filter, form.strides, form.low, form.high, form.dilations, groups);
}

void importConv(Node &n) {
  n.expectInputs(2, 3);
  n.output(0, addBias(n, convolve(n, n.input(0), n.input(1)), n.optional(2)));
}

/// com.microsoft: a convolution and its activation.
void importFusedConv(Node &n) {
  n.expectInputs(2, 4);
  Value value = addBias(n, convolve(n, n.input(0), n.input(1)), n.optional(2));
  if (n.has(3))
    value = n.add(value, n.input(3));
  std::string activation = n.string("activation", "");
  SmallVector<double> parameters = n.reals("activation_params");
  if (activation == "Relu")
    value = n.unary(UnaryKind::relu, value);
  else if (activation == "Tanh")
    value = n.unary(UnaryKind::tanh, value);
  else if (activation == "Sigmoid")
    value = n.unary(UnaryKind::sigmoid, value);
  else if (activation == "LeakyRelu" && parameters.size() == 1)
    value = n.select(n.compare(CompareKind::lt, value, n.number(0, value)),
                     n.mul(value, n.number(parameters[0], value)), value);
  else if (activation == "Clip" && parameters.size() == 2)
    value = n.min(n.max(value, n.number(parameters[0], value)), n.number(parameters[1], value));
  else if (!activation.empty())
    n.fail("activation " + activation + " is not supported");
  n.output(0, value);
}

/// A depthwise convolution over time that sees the past only; `state` holds the last inputs.
void importCausalConvWithState(Node &n) {
  n.expectInputs(2, 4);
  Value x = n.input(0), filter = n.input(1);
  std::string activation = n.string("activation", "none");
  n.expectChoice("activation", activation, {"none", "silu", "swish"});
  if (!n.failed() && (n.rank(x) != 3 || n.rank(filter) != 3 || n.dim(filter, 2) < 1))
    n.fail("the input and the weight must have rank 3");
  if (n.failed())
    return;
  int64_t b = n.dim(x, 0), c = n.dim(x, 1), kept = n.dim(filter, 2) - 1;
  Value past = n.has(3) ? n.input(3) : n.splat({b, c, kept}, n.element(x), 0);
  Value all = n.concat({past, x}, 2);
  SmallVector<int64_t> one{1}, none{0};
  Value result = addBias(n, n.make<ConvOp>(all, filter, one, none, none, one, c), n.optional(2));
  n.output(0, activation == "none" ? result : n.unary(UnaryKind::silu, result));
  n.output(1, n.sliceDim(all, 2, n.dim(all, 2) - kept, n.dim(all, 2)));
}

/// Integer operands less their zero points, in i32.
Value centered(Node &n, size_t index, size_t zeroIndex, bool isFilter) {
  Type i32 = IntegerType::get(n.context(), 32);
  Value value = n.cast(n.input(index), i32);
  if (!n.has(zeroIndex))
    return value;
  Value zero = n.cast(n.input(zeroIndex), i32);
  if (!n.failed() && n.type(zero).getNumElements() == 1)
    return n.sub(value, n.reshape(zero, {}));
  return isFilter ? n.sub(value, n.broadcastDims(zero, n.shape(value), {0})) : n.sub(value, zero);
}

void importConvInteger(Node &n) {
  n.expectInputs(2, 4);
  n.output(0, convolve(n, centered(n, 0, 2, false), centered(n, 1, 3, true)));
}

/// The padding and extents of a transposed convolution, from pads, output_padding or output_shape.
struct TransposedForm {
  WindowForm form;
  SmallVector<int64_t> extents;
};

TransposedForm readTransposedForm(Node &n, ArrayRef<int64_t> space, ArrayRef<int64_t> window) {
  size_t rank = space.size();
  std::string automatic = n.string("auto_pad", "NOTSET");
  TransposedForm result{readWindowForm(n, space, window), {}};
  WindowForm &form = result.form;
  SmallVector<int64_t> extra = n.integers("output_padding", SmallVector<int64_t>(rank, 0));
  SmallVector<int64_t> wanted = n.integers("output_shape");
  if (n.failed())
    return result;
  if (wanted.size() == rank + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (extra.size() != rank || (!wanted.empty() && wanted.size() != rank)) {
    n.fail("output_padding and output_shape must fit " + Twine(rank) + " spatial dims");
    return result;
  }
  bool isSame = StringRef(automatic).starts_with("SAME");
  for (size_t dim = 0; dim < rank; ++dim) {
    if (extra[dim] < 0 || extra[dim] > INT32_MAX || space[dim] > (1LL << 31)) {
      n.fail("output_padding has the entry " + Twine(extra[dim]));
      return result;
    }
    int64_t full = form.strides[dim] * (space[dim] - 1) + extra[dim] + form.reach(dim);
    if (isSame && wanted.empty())
      result.extents.push_back(space[dim] * form.strides[dim]);
    else
      result.extents.push_back(!wanted.empty() ? wanted[dim]
                                               : full - form.low[dim] - form.high[dim]);
    if (isSame || !wanted.empty()) {
      int64_t total = full - result.extents[dim];
      int64_t larger = total - total / 2;
      form.low[dim] = automatic == "SAME_UPPER" ? total / 2 : larger;
      if (!isSame)
        form.low[dim] = total / 2;
    }
    // What conv's own formula needs at the far side for its result to have the input's extent.
    form.high[dim] = form.strides[dim] * (space[dim] - 1) + form.reach(dim) - result.extents[dim] -
                     form.low[dim];
  }
  return result;
}

void importConvTranspose(Node &n) {
  n.expectInputs(2, 3);
  Value x = n.input(0), filter = n.input(1);
  ArrayRef<int64_t> space = spaceOf(n, x);
  if (!n.failed() && n.rank(filter) != n.rank(x))
    n.fail("the filter has rank " + Twine(n.rank(filter)) + ", the input " + Twine(n.rank(x)));
  if (n.failed())
    return;
  ArrayRef<int64_t> window = n.shape(filter).drop_front(2);
  if (SmallVector<int64_t> declared = n.integers("kernel_shape", window);
      ArrayRef(declared) != window)
    n.fail("kernel_shape differs from the filter's " + shapeText(window));
  int64_t groups = n.integer("group", 1);
  TransposedForm result = readTransposedForm(n, space, window);
  if (n.failed())
    return;
  SmallVector<int64_t> shape{n.dim(x, 0), n.dim(filter, 1) * groups};
  shape.append(result.extents);
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return n.fail("the result would have the shape " + shapeText(shape));
  const WindowForm &form = result.form;
  Value value = n.make<ConvInputGradOp>(n.type(x).clone(shape), x, filter, form.strides, form.low,
                                        form.high, form.dilations, groups);
  n.output(0, addBias(n, value, n.optional(2)));
}

} // namespace

void registerConv(OpTable &table) {
  table.add("CausalConvWithState", importCausalConvWithState, 27);
  table.add("Conv", importConv);
  table.add("ConvInteger", importConvInteger, 10);
  table.add("ConvTranspose", importConvTranspose);
  table.addTo(kMicrosoft, "FusedConv", importFusedConv);
}

} // namespace sheaf::onnx
