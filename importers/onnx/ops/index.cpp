// Gathers and scatters.
#include "importers/onnx/node.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Fails when a constant index is not in `[-extent, extent)`; those in data are checked at run time.
/// `extents` are the bounds of the last dim of tuples, or one bound for all.
void checkIndices(Node &n, Value indices, ArrayRef<int64_t> extents) {
  auto constant = GraphBuilder::constantOf(indices);
  if (!constant || n.failed() || extents.empty() || !isa<IntegerType>(constant->getElementType()))
    return;
  auto check = [&](int64_t index, int64_t extent) {
    if (index < -extent || index >= extent)
      n.fail("index " + Twine(index) + " is out of range for the extent " + Twine(extent));
  };
  if (constant->isSplat() && constant->getNumElements() > 0)
    return check(intValues(constant->resizeSplat(constant->getType().clone({1}))).front(),
                 *llvm::min_element(extents));
  for (auto [place, index] : llvm::enumerate(intValues(*constant)))
    check(index, extents[place % extents.size()]);
}

/// The dims that tuples in the last dim of `indices` address, after `batchDims`.
ArrayRef<int64_t> addressed(Node &n, Value value, Value indices, int64_t batchDims) {
  int64_t size = n.dim(indices, n.rank(indices) - 1);
  if (n.failed() || batchDims < 0 || size < 0 || batchDims + size > n.rank(value))
    return {};
  return n.shape(value).slice(batchDims, size);
}

void importGather(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0), indices = n.input(1);
  int64_t axis = n.axis(n.integer("axis", 0), n.rank(value));
  checkIndices(n, indices, n.dim(value, axis));
  n.output(0, n.gather(value, indices, axis));
}

void importGatherElements(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0), indices = n.input(1);
  int64_t axis = n.axis(n.integer("axis", 0), n.rank(value));
  checkIndices(n, indices, n.dim(value, axis));
  n.output(0, n.make<GatherElementsOp>(value, indices, axis));
}

void importGatherND(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0), indices = n.input(1);
  int64_t batchDims = n.integer("batch_dims", 0);
  checkIndices(n, indices, addressed(n, value, indices, batchDims));
  n.output(0, n.make<GatherNDOp>(value, indices, batchDims));
}

ScatterKind scatterKind(Node &n) {
  std::string reduction = n.string("reduction", "none");
  n.expectChoice("reduction", reduction, {"none", "add", "mul", "max", "min"});
  return llvm::StringSwitch<ScatterKind>(reduction)
      .Case("add", ScatterKind::add)
      .Case("mul", ScatterKind::mul)
      .Case("max", ScatterKind::max)
      .Case("min", ScatterKind::min)
      .Default(ScatterKind::set);
}

/// Also the deprecated Scatter.
void importScatterElements(Node &n) {
  n.expectInputs(3, 3);
  Value value = n.input(0), indices = n.input(1), updates = n.input(2);
  int64_t axis = n.axis(n.integer("axis", 0), n.rank(value));
  checkIndices(n, indices, n.dim(value, axis));
  n.output(0, n.make<ScatterElementsOp>(scatterKind(n), value, indices, updates, axis));
}

void importScatterND(Node &n) {
  n.expectInputs(3, 3);
  Value value = n.input(0), indices = n.input(1), updates = n.input(2);
  checkIndices(n, indices, addressed(n, value, indices, 0));
  n.output(0, n.make<ScatterNDOp>(scatterKind(n), value, indices, updates));
}

/// Writes each batch entry's update into its cache from a place on; a scatter along the axis.
void importTensorScatter(Node &n) {
  n.expectInputs(2, 3);
  Value cache = n.input(0), update = n.input(1);
  int64_t axis = n.axis(n.integer("axis", -2), n.rank(cache));
  std::string mode = n.string("mode", "linear");
  n.expectChoice("mode", mode, {"linear", "circular"});
  if (!n.failed() && (axis == 0 || n.rank(update) != n.rank(cache)))
    n.fail("axis 0 is the batch; cache and update have the same rank");
  if (n.failed())
    return;
  Type i64 = IntegerType::get(n.context(), 64);
  Value places = n.iota(n.shape(update), i64, axis);
  if (n.has(2)) {
    Value start = n.broadcastDims(n.cast(n.input(2), i64), n.shape(update), {0});
    places = n.add(places, start);
  }
  if (mode == "circular")
    places =
        n.binary(BinaryKind::mod, places, n.scalar(i64, static_cast<double>(n.dim(cache, axis))));
  n.output(0, n.make<ScatterElementsOp>(ScatterKind::set, cache, places, update, axis));
}

/// The condition decides the size, so it must be constant.
void importCompress(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0);
  auto axis = n.maybeInteger("axis");
  SmallVector<int64_t> places;
  for (auto [index, isKept] : llvm::enumerate(n.constantInts(1, "condition")))
    if (isKept)
      places.push_back(static_cast<int64_t>(index));
  if (n.failed())
    return;
  if (!axis)
    value = n.reshape(value, {n.type(value).getNumElements()});
  n.output(0, n.gather(value, n.ints(places), axis ? n.axis(*axis, n.rank(value)) : 0));
}

/// Of constants only: the number of places depends on the values.
void importNonZero(Node &n) {
  n.expectInputs(1, 1);
  Value value = n.input(0);
  SmallVector<double> numbers = n.constantFloats(0, "X");
  if (n.failed())
    return;
  ArrayRef<int64_t> shape = n.shape(value);
  SmallVector<int64_t> flat;
  for (auto [index, number] : llvm::enumerate(numbers))
    if (number != 0)
      flat.push_back(static_cast<int64_t>(index));
  SmallVector<int64_t> places;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t inner = 1;
    for (int64_t extent : shape.drop_front(dim + 1))
      inner *= extent;
    for (int64_t index : flat)
      places.push_back(index / inner % shape[dim]);
  }
  n.output(0, n.reshape(n.ints(places),
                        {static_cast<int64_t>(shape.size()), static_cast<int64_t>(flat.size())}));
}

} // namespace

void registerIndex(OpTable &table) {
  table.add("Compress", importCompress, 9);
  table.add("Gather", importGather);
  table.add("GatherElements", importGatherElements, 11);
  table.add("GatherND", importGatherND, 11);
  table.add("NonZero", importNonZero, 9);
  table.add("Scatter", importScatterElements, 9);
  table.add("ScatterElements", importScatterElements, 11);
  table.add("ScatterND", importScatterND, 11);
  table.add("TensorScatter", importTensorScatter, 24);
}

} // namespace sheaf::onnx
