// Softmax and its relatives.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Up to opset 12 the input is flattened to a matrix at `axis` (default 1); from 13 on one axis is
/// normalized (default the last).
void alongAxis(Node &n, llvm::function_ref<Value(Value, int64_t)> apply) {
  n.expectInputs(1, 1);
  Value value = n.input(0);
  bool isFlattened = n.opset() < 13;
  int64_t axis = n.integer("axis", isFlattened ? 1 : -1), rank = n.rank(value);
  if (isFlattened && (axis == rank || rank == 0)) // A column: every row has one element.
    axis = rank;
  else
    axis = n.axis(axis, std::max<int64_t>(rank, 1));
  if (n.failed())
    return;
  SmallVector<int64_t> shape(n.shape(value));
  if (!isFlattened && rank > 0)
    return n.output(0, apply(value, axis));
  int64_t columns = 1, rows = 1;
  for (auto [index, extent] : llvm::enumerate(shape))
    (static_cast<int64_t>(index) < axis ? rows : columns) *= extent;
  n.output(0, n.reshape(apply(n.reshape(value, {rows, columns}), 1), shape));
}

void importSoftmax(Node &n) {
  alongAxis(n, [&](Value value, int64_t dim) { return n.make<SoftmaxOp>(value, dim); });
}

void importLogSoftmax(Node &n) {
  alongAxis(n, [&](Value value, int64_t dim) { return n.make<LogSoftmaxOp>(value, dim); });
}

/// One at the first maximum, else zero.
void importHardmax(Node &n) {
  alongAxis(n, [&](Value value, int64_t dim) {
    Value place = n.make<ArgReduceOp>(ReduceKind::max, value, dim, /*last=*/false);
    Value counter = n.iota(n.shape(value), IntegerType::get(n.context(), 64), dim);
    Value isPlace = n.compare(CompareKind::eq, counter, n.unsqueeze(place, {dim}));
    return n.cast(isPlace, n.element(value));
  });
}

} // namespace

void registerSoftmax(OpTable &table) {
  table.add("Hardmax", importHardmax);
  table.add("LogSoftmax", importLogSoftmax);
  table.add("Softmax", importSoftmax);
}

} // namespace sheaf::onnx
