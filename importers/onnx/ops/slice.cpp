// Taking tensors apart and putting them together: Slice, Split, Concat, Tile, Pad and relatives.
#include "importers/onnx/node.h"
#include "llvm/Support/MathExtras.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// One dim of Python's `value[start:end:step]`.
Value sliceAsPython(Node &n, Value value, int64_t dim, int64_t start, int64_t end, int64_t step) {
  int64_t extent = n.dim(value, dim);
  auto wrap = [&](int64_t place) { return place < 0 ? place + extent : place; };
  if (step == 0) {
    n.fail("step is 0");
    return {};
  }
  if (step > 0) {
    start = std::clamp<int64_t>(wrap(start), 0, extent);
    end = std::clamp<int64_t>(wrap(end), start, extent);
    return n.sliceDim(value, dim, start, end, std::min(step, std::max<int64_t>(extent, 1)));
  }
  // Backwards: the reversed dim from the other side.
  start = std::clamp<int64_t>(wrap(start), -1, extent - 1);
  end = std::clamp<int64_t>(wrap(end), -1, start < -1 ? -1 : start);
  step = step <= -extent ? std::max<int64_t>(extent, 1) : -step;
  Value reversed = n.make<ReverseOp>(value, ArrayRef(dim));
  return n.sliceDim(reversed, dim, extent - 1 - start, extent - 1 - end, step);
}

/// Bounds are attributes up to opset 9, then inputs.
void importSlice(Node &n) {
  bool hasInputs = n.opset() >= 10;
  n.expectInputs(hasInputs ? 3 : 1, hasInputs ? 5 : 1);
  Value value = n.input(0);
  auto starts = hasInputs ? n.constantInts(1, "starts") : n.integers("starts");
  auto ends = hasInputs ? n.constantInts(2, "ends") : n.integers("ends");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(starts.size())));
  if (hasInputs && n.has(3))
    axes = n.constantInts(3, "axes");
  else if (!hasInputs)
    axes = n.integers("axes", axes);
  SmallVector<int64_t> steps(starts.size(), 1);
  if (hasInputs && n.has(4))
    steps = n.constantInts(4, "steps");
  if (n.failed())
    return;
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return n.fail("starts, ends, axes and steps have different lengths");
  axes = n.axes(axes, n.rank(value));
  for (size_t index = 0; index < axes.size() && !n.failed(); ++index)
    value = sliceAsPython(n, value, axes[index], starts[index], ends[index], steps[index]);
  n.output(0, value);
}

void importConcat(Node &n) {
  SmallVector<Value> values = n.variadic();
  int64_t axis = n.axis(n.opset() < 4 ? n.integer("axis", 1) : n.requiredInteger("axis"),
                        n.rank(values.front()));
  if (!n.failed())
    n.output(0, n.concat(values, axis));
}

/// Sizes are an attribute up to opset 12, then an input; without them the parts are equal, the last one
/// smaller when `num_outputs` does not divide.
void importSplit(Node &n) {
  n.expectInputs(1, n.opset() < 13 ? 1 : 2);
  Value value = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 0), n.rank(value));
  int64_t numParts = static_cast<int64_t>(n.numOutputs()), extent = n.dim(value, axis);
  SmallVector<int64_t> sizes = n.opset() < 13 ? n.integers("split") : SmallVector<int64_t>();
  if (n.opset() >= 13 && n.has(1))
    sizes = n.constantInts(1, "split");
  auto declared = n.maybeInteger("num_outputs");
  if (n.failed())
    return;
  if (declared && *declared != numParts)
    return n.fail("num_outputs is " + Twine(*declared) + " but the node has " + Twine(numParts) +
                  " outputs");
  if (sizes.empty() && numParts > 0) {
    if (!declared && extent % numParts != 0)
      return n.fail("extent " + Twine(extent) + " of axis " + Twine(axis) +
                    " does not split into " + Twine(numParts) + " equal parts");
    int64_t part = (extent + numParts - 1) / numParts;
    for (int64_t index = 0; index < numParts; ++index)
      sizes.push_back(std::clamp<int64_t>(extent - index * part, 0, part));
  }
  if (static_cast<int64_t>(sizes.size()) != numParts)
    return n.fail("split has " + Twine(sizes.size()) + " sizes for " + Twine(numParts) +
                  " outputs");
  int64_t start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (size < 0 || size > extent - start)
      return n.fail("split sizes do not fit the extent " + Twine(extent));
    n.output(index, n.sliceDim(value, axis, start, start + size));
    start += size;
  }
  if (start != extent)
    n.fail("split sizes add up to " + Twine(start) + ", not to the extent " + Twine(extent));
}

/// Repeats: a new dim before each, broadcast, and merged.
void importTile(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0);
  SmallVector<int64_t> repeats = n.constantInts(1, "repeats");
  if (n.failed())
    return;
  if (static_cast<int64_t>(repeats.size()) != n.rank(value))
    return n.fail("repeats has " + Twine(repeats.size()) + " entries for rank " +
                  Twine(n.rank(value)));
  SmallVector<int64_t> spread, merged, dims;
  for (auto [extent, repeat] : llvm::zip(n.shape(value), repeats)) {
    int64_t product;
    if (repeat < 0 || llvm::MulOverflow(extent, repeat, product))
      return n.fail("repeats has the entry " + Twine(repeat));
    spread.push_back(repeat);
    dims.push_back(static_cast<int64_t>(spread.size()));
    spread.push_back(extent);
    merged.push_back(product);
  }
  n.output(0, n.reshape(n.broadcastDims(value, spread, dims), merged));
}

void importTrilu(Node &n) {
  n.expectInputs(1, 2);
  Value value = n.input(0);
  int64_t diagonal = n.constantIntOr(1, "k", 0), rank = n.rank(value);
  bool isUpper = n.integer("upper", 1) != 0;
  if (!n.failed() && rank < 2)
    return n.fail("the input has rank " + Twine(rank) + ", it needs 2 or more");
  if (n.failed())
    return;
  ArrayRef<int64_t> matrix = n.shape(value).take_back(2);
  diagonal = std::clamp<int64_t>(diagonal, -matrix[0] - 1, matrix[1] + 1);
  Type index = IntegerType::get(n.context(), 64);
  Value row = n.iota(matrix, index, 0), column = n.iota(matrix, index, 1);
  Value keep = n.compare(isUpper ? CompareKind::ge : CompareKind::le, n.sub(column, row),
                         n.scalar(index, static_cast<double>(diagonal)));
  n.output(0, n.select(keep, value, n.number(0, value)));
}

/// Sequences of each batch entry in reverse, up to its length; a gather with constant or computed places.
void importReverseSequence(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0), lengths = n.input(1);
  int64_t batch = n.axis(n.integer("batch_axis", 1), n.rank(value));
  int64_t time = n.axis(n.integer("time_axis", 0), n.rank(value));
  if (!n.failed() && batch == time)
    return n.fail("batch_axis and time_axis are both " + Twine(time));
  if (n.failed())
    return;
  Type index = IntegerType::get(n.context(), 64);
  ArrayRef<int64_t> shape = n.shape(value);
  Value place = n.iota(shape, index, time);
  Value length = n.broadcastDims(n.cast(lengths, index), shape, {batch});
  Value mirrored = n.sub(n.sub(length, n.scalar(index, 1)), place);
  Value source = n.select(n.compare(CompareKind::lt, place, length), mirrored, place);
  n.output(0, n.make<GatherElementsOp>(value, source, time));
}

} // namespace

void registerSlice(OpTable &table) {
  table.add("Concat", importConcat);
  table.add("ReverseSequence", importReverseSequence, 10);
  table.add("Slice", importSlice);
  table.add("Split", importSplit);
  table.add("Tile", importTile, 6);
  table.add("Trilu", importTrilu, 14);
}

} // namespace sheaf::onnx
