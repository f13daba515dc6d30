// Reductions, arg-reductions, running sums, order.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

struct ReduceForm {
  Value value;
  SmallVector<int64_t> dims;
  bool keepDims = true;
  /// No axes and noop_with_empty_axes: nothing is combined.
  bool isNoop = false;
};

/// Axes are an attribute, from opset 18 (ReduceSum: 13) an input. None means all.
ReduceForm readReduce(Node &n) {
  bool hasInput = n.opset() >= (n.opType() == "ReduceSum" ? 13 : 18);
  n.expectInputs(1, hasInput ? 2 : 1);
  ReduceForm form{n.input(0), {}, n.integer("keepdims", 1) != 0};
  SmallVector<int64_t> axes = hasInput ? SmallVector<int64_t>() : n.integers("axes");
  if (hasInput && n.has(1))
    axes = n.constantInts(1, "axes");
  form.isNoop = n.integer("noop_with_empty_axes", 0) != 0 && axes.empty();
  if (axes.empty())
    form.dims = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(form.value)));
  else
    form.dims = n.axes(axes, n.rank(form.value));
  return form;
}

/// Applies `kind` and the functions before and after it, which a no-op reduction also has.
void finishReduce(Node &n, const ReduceForm &form, ReduceKind kind,
                  llvm::function_ref<Value(Value)> before, llvm::function_ref<Value(Value)> after) {
  Value value = before(form.value);
  if (!form.isNoop)
    value = n.reduce(kind, value, form.dims, form.keepDims);
  n.output(0, after(value));
}

Value same(Value value) { return value; }

template <ReduceKind kind> void importReduce(Node &n) {
  ReduceForm form = readReduce(n);
  Type element = n.element(form.value);
  // Booleans: the maximum is "any".
  ReduceKind used = kind;
  if (element && element.isInteger(1) && kind == ReduceKind::max)
    used = ReduceKind::any;
  if (element && element.isInteger(1) && kind == ReduceKind::min)
    used = ReduceKind::all;
  finishReduce(n, form, used, same, same);
}

void importReduceMean(Node &n) {
  ReduceForm form = readReduce(n);
  n.output(0, form.isNoop ? form.value : n.mean(form.value, form.dims, form.keepDims));
}

void importReduceL1(Node &n) {
  finishReduce(
      n, readReduce(n), ReduceKind::sum,
      [&](Value value) { return n.unary(UnaryKind::abs, value); }, same);
}

void importReduceL2(Node &n) {
  ReduceForm form = readReduce(n);
  Type element = n.element(form.value);
  // The root of an integer is taken as a float.
  auto root = [&](Value value) {
    Value wide = n.isFloat(value) ? value : n.cast(value, Float64Type::get(n.context()));
    return n.cast(n.unary(UnaryKind::sqrt, wide), element);
  };
  finishReduce(n, form, ReduceKind::sum, [&](Value value) { return n.mul(value, value); }, root);
}

void importReduceSumSquare(Node &n) {
  finishReduce(
      n, readReduce(n), ReduceKind::sum, [&](Value value) { return n.mul(value, value); }, same);
}

/// An integer's logarithm is taken as a float.
Value logarithm(Node &n, Value value) {
  Type element = n.element(value);
  Value wide = n.isFloat(value) ? value : n.cast(value, Float64Type::get(n.context()));
  return n.cast(n.unary(UnaryKind::log, wide), element);
}

void importReduceLogSum(Node &n) {
  finishReduce(n, readReduce(n), ReduceKind::sum, same,
               [&](Value value) { return logarithm(n, value); });
}

/// Around the maximum, so that nothing overflows; an infinite maximum is no centre.
void importReduceLogSumExp(Node &n) {
  ReduceForm form = readReduce(n);
  if (form.isNoop)
    return n.output(0, form.value);
  Type element = n.element(form.value);
  Value x = n.isFloat(form.value) ? form.value : n.cast(form.value, Float64Type::get(n.context()));
  Value largest = n.reduce(ReduceKind::max, x, form.dims, /*keepDims=*/true);
  Value isFinite = n.compare(CompareKind::lt, n.unary(UnaryKind::abs, largest),
                             n.number(std::numeric_limits<double>::infinity(), x));
  Value center = n.select(isFinite, largest, n.number(0, x));
  Value total = n.sum(n.unary(UnaryKind::exp, n.sub(x, center)), form.dims, true);
  Value result = n.add(n.unary(UnaryKind::log, total), center);
  n.output(0, n.cast(form.keepDims ? result : n.squeeze(result, form.dims), element));
}

template <ReduceKind kind> void importArgReduce(Node &n) {
  n.expectInputs(1, 1);
  Value value = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 0), n.rank(value));
  bool keepDims = n.integer("keepdims", 1) != 0;
  bool isLast = n.integer("select_last_index", 0) != 0;
  Value place = n.make<ArgReduceOp>(kind, value, axis, isLast);
  n.output(0, keepDims ? n.unsqueeze(place, {axis}) : place);
}

template <ReduceKind kind> void importCumulative(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0);
  int64_t axis = n.axis(n.constantInt(1, "axis").value_or(0), n.rank(value));
  bool isExclusive = n.integer("exclusive", 0) != 0, isReverse = n.integer("reverse", 0) != 0;
  n.output(0, n.make<CumulativeOp>(kind, value, axis, isExclusive, isReverse));
}

/// k is an attribute up to opset 9. Unsorted results may come in any order, so they come sorted.
void importTopK(Node &n) {
  n.expectInputs(n.opset() < 10 ? 1 : 2, n.opset() < 10 ? 1 : 2);
  Value value = n.input(0);
  int64_t axis = n.axis(n.integer("axis", -1), n.rank(value));
  int64_t k = n.opset() < 10 ? n.requiredInteger("k") : n.constantInt(1, "K").value_or(0);
  bool isSmallest = n.integer("largest", 1) == 0;
  n.ignore("sorted");
  auto results = n.makeAll<TopKOp>(value, axis, k, isSmallest);
  n.output(0, results[0]);
  n.output(1, results[1]);
}

} // namespace

void registerReduce(OpTable &table) {
  table.add("ArgMax", importArgReduce<ReduceKind::max>);
  table.add("ArgMin", importArgReduce<ReduceKind::min>);
  table.add("CumProd", importCumulative<ReduceKind::prod>, 26);
  table.add("CumSum", importCumulative<ReduceKind::sum>, 11);
  table.add("ReduceL1", importReduceL1);
  table.add("ReduceL2", importReduceL2);
  table.add("ReduceLogSum", importReduceLogSum);
  table.add("ReduceLogSumExp", importReduceLogSumExp);
  table.add("ReduceMax", importReduce<ReduceKind::max>);
  table.add("ReduceMean", importReduceMean);
  table.add("ReduceMin", importReduce<ReduceKind::min>);
  table.add("ReduceProd", importReduce<ReduceKind::prod>);
  table.add("ReduceSum", importReduce<ReduceKind::sum>);
  table.add("ReduceSumSquare", importReduceSumSquare);
  table.add("TopK", importTopK);
}

} // namespace sheaf::onnx
