// Pooling.
#include "importers/onnx/window_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Reads the window, and with ceil_mode pads the far side so that rounding down gives the extent that
/// rounding up has; a window must start within the input or its left padding.
WindowForm readPool(Node &n, Value x) {
  ArrayRef<int64_t> space = spaceOf(n, x);
  SmallVector<int64_t> window = n.integers("kernel_shape");
  if (!n.failed() && window.empty())
    n.fail("the attribute \"kernel_shape\" is missing");
  if (n.failed())
    return {};
  WindowForm form = readWindowForm(n, space, window);
  bool roundsUp = n.integer("ceil_mode", 0) != 0;
  if (n.failed() || !roundsUp)
    return form;
  for (size_t dim = 0; dim < space.size(); ++dim) {
    int64_t stride = form.strides[dim];
    int64_t rest = space[dim] + form.low[dim] + form.high[dim] - form.reach(dim);
    if (rest < 0)
      continue;
    int64_t last = (rest + stride - 1) / stride * stride;
    if (last >= space[dim] + form.low[dim])
      last -= stride;
    form.high[dim] += std::max<int64_t>(last - rest, 0);
  }
  return form;
}

Value pool(Node &n, PoolKind kind, Value x, const WindowForm &form) {
  if (n.failed())
    return {};
  return n.make<PoolOp>(kind, x, form.window, form.strides, form.low, form.high, form.dilations);
}

void importMaxPool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  WindowForm form = readPool(n, x);
  bool isColumnMajor = n.integer("storage_order", 0) != 0;
  if (n.failed())
    return;
  if (!n.wants(1))
    return n.output(0, pool(n, PoolKind::max, x, form));
  auto results = n.makeAll<PoolArgmaxOp>(x, form.window, form.strides, form.low, form.high,
                                         form.dilations, isColumnMajor);
  n.output(0, results[0]);
  n.output(1, results[1]);
}

/// With count_include_pad and ceil_mode, the padding that ceil_mode adds does not count; so ones are
/// pooled the same way to count.
void importAveragePool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  bool includesPadding = n.integer("count_include_pad", 0) != 0;
  bool roundsUp = n.integer("ceil_mode", 0) != 0;
  WindowForm form = readPool(n, x);
  if (n.failed())
    return;
  if (!includesPadding || !roundsUp)
    return n.output(
        0, pool(n, includesPadding ? PoolKind::avg_include : PoolKind::avg_exclude, x, form));
  size_t rank = form.window.size();
  SmallVector<int64_t> pads = n.integers("pads", SmallVector<int64_t>(2 * rank, 0));
  SmallVector<int64_t> low{0, 0}, high{0, 0};
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t far = std::min(form.high[dim], pads[dim + rank]);
    low.push_back(std::exchange(form.low[dim], 0));
    high.push_back(far);
    form.high[dim] -= far;
  }
  n.output(0, pool(n, PoolKind::avg_exclude, n.pad(x, n.number(0, x), low, high), form));
}

/// `(sum |x|^p)^(1/p)`.
Value withPower(Node &n, Value x, int64_t p, llvm::function_ref<Value(Value)> sum) {
  Value size = n.unary(UnaryKind::abs, x);
  if (p == 1)
    return sum(size);
  if (p == 2)
    return n.unary(UnaryKind::sqrt, sum(n.mul(x, x)));
  Value total = sum(n.pow(size, n.number(static_cast<double>(p), x)));
  return n.pow(total, n.number(1.0 / static_cast<double>(p), x));
}

void importLpPool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  int64_t p = n.integer("p", 2);
  WindowForm form = readPool(n, x);
  n.output(0, withPower(n, x, p, [&](Value value) { return pool(n, PoolKind::sum, value, form); }));
}

SmallVector<int64_t> spatialDims(Node &n, Value x) {
  (void)spaceOf(n, x); // Checks the rank.
  return llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(n.rank(x), 2)));
}

void importGlobalAveragePool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  n.output(0, n.mean(x, spatialDims(n, x), true));
}

void importGlobalMaxPool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  n.output(0, n.reduce(ReduceKind::max, x, spatialDims(n, x), true));
}

void importGlobalLpPool(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  auto dims = spatialDims(n, x);
  n.output(
      0, withPower(n, x, n.integer("p", 2), [&](Value value) { return n.sum(value, dims, true); }));
}

/// Puts each value at the place that MaxPool's indices name, in a tensor of zeros.
void importMaxUnpool(Node &n) {
  n.expectInputs(2, 3);
  Value x = n.input(0), indices = n.input(1);
  ArrayRef<int64_t> space = spaceOf(n, x);
  SmallVector<int64_t> window = n.integers("kernel_shape");
  WindowForm form = readWindowForm(n, space, window);
  if (n.failed())
    return;
  SmallVector<int64_t> shape(n.shape(x).take_front(2));
  for (size_t dim = 0; dim < space.size(); ++dim)
    shape.push_back((space[dim] - 1) * form.strides[dim] + form.reach(dim) - form.low[dim] -
                    form.high[dim]);
  SmallVector<int64_t> inferred = shape;
  if (n.has(2))
    shape = n.constantInts(2, "output_shape");
  if (!n.failed() && (shape.size() != inferred.size() ||
                      llvm::any_of(shape, [](int64_t extent) { return extent < 0; })))
    n.fail("output_shape does not fit the input");
  if (n.failed())
    return;
  auto type = n.type(x).clone(shape);
  int64_t count = n.type(x).getNumElements();
  // Indices count within the inferred shape; a larger output_shape pads each spatial dim at its end.
  Value flatIndices = n.reshape(indices, {count});
  if (shape != inferred) {
    Type i64 = IntegerType::get(n.context(), 64);
    Value rest = flatIndices, moved = n.splat({count}, i64, 0);
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      Value extent = n.scalar(i64, static_cast<double>(std::max<int64_t>(inferred[dim], 1)));
      Value place = n.binary(BinaryKind::rem, rest, extent);
      moved = n.add(moved, n.mul(place, n.scalar(i64, static_cast<double>(stride))));
      rest = n.div(rest, extent);
      stride *= shape[dim];
    }
    flatIndices = moved;
  }
  Value zeros = n.splat({type.getNumElements()}, n.element(x), 0);
  Value filled =
      n.make<ScatterElementsOp>(ScatterKind::set, zeros, flatIndices, n.reshape(x, {count}), 0);
  n.output(0, n.reshape(filled, shape));
}

} // namespace

void registerPool(OpTable &table) {
  table.add("AveragePool", importAveragePool);
  table.add("GlobalAveragePool", importGlobalAveragePool);
  table.add("GlobalLpPool", importGlobalLpPool);
  table.add("GlobalMaxPool", importGlobalMaxPool);
  table.add("LpPool", importLpPool);
  table.add("MaxPool", importMaxPool);
  table.add("MaxUnpool", importMaxUnpool, 9);
}

} // namespace sheaf::onnx
