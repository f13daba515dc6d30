// Operators about shapes: Shape, Size, Reshape and its relatives, Expand.
#include "importers/onnx/node.h"
#include "llvm/Support/MathExtras.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

void importShape(Node &n) {
  n.expectInputs(1, 1);
  ArrayRef<int64_t> shape = n.shape(n.input(0));
  int64_t rank = static_cast<int64_t>(shape.size());
  auto clamp = [&](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + rank : place, 0, rank);
  };
  int64_t start = clamp(n.integer("start", 0)), end = clamp(n.integer("end", rank));
  n.output(0, n.ints(shape.slice(start, std::max<int64_t>(end - start, 0))));
}

void importSize(Node &n) {
  n.expectInputs(1, 1);
  if (Value value = n.input(0))
    n.output(0, n.reshape(n.ints({n.type(value).getNumElements()}), {}));
}

/// The number of elements; none when it overflows.
std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

/// 0 copies an extent, unless `allowzero`; one -1 takes what is left.
void importReshape(Node &n) {
  bool isInput = n.opset() >= 5;
  n.expectInputs(isInput ? 2 : 1, isInput ? 2 : 1);
  Value value = n.input(0);
  SmallVector<int64_t> shape = isInput ? n.constantInts(1, "shape") : n.integers("shape");
  bool allowZero = n.integer("allowzero", 0) != 0;
  if (n.failed())
    return;
  std::optional<size_t> open;
  bool hasZero = false;
  for (auto [index, extent] : llvm::enumerate(shape)) {
    if (extent == 0 && !allowZero) {
      if (static_cast<int64_t>(index) >= n.rank(value))
        return n.fail("shape copies dim " + Twine(index) + ", which the input does not have");
      extent = n.dim(value, static_cast<int64_t>(index));
    } else if (extent == -1) {
      if (open)
        return n.fail("shape has more than one -1");
      open = index;
    } else if (extent < 0) {
      return n.fail("shape has the negative extent " + Twine(extent));
    }
    hasZero |= allowZero && extent == 0;
  }
  if (open && hasZero)
    return n.fail("shape has a 0 and a -1, which allowzero forbids");
  int64_t total = n.type(value).getNumElements();
  if (open) {
    shape[*open] = 1;
    auto known = countElements(shape);
    if (!known || (*known == 0 ? total != 0 : total % *known != 0))
      return n.fail("cannot reshape " + shapeText(n.shape(value)) + ": " + Twine(total) +
                    " elements are no multiple of " + Twine(known.value_or(0)));
    shape[*open] = *known == 0 ? 0 : total / *known;
  }
  if (countElements(shape) != total)
    return n.fail("cannot reshape " + shapeText(n.shape(value)) + " to " + shapeText(shape) + ": " +
                  Twine(total) + " elements are not " +
                  (countElements(shape) ? std::to_string(*countElements(shape)) : "as many"));
  n.output(0, n.reshape(value, shape));
}

void importFlatten(Node &n) {
  n.expectInputs(1, 1);
  Value value = n.input(0);
  int64_t axis = n.integer("axis", 1), rank = n.rank(value);
  if (axis < -rank || axis > rank)
    return n.fail("axis " + Twine(axis) + " is out of range for rank " + Twine(rank));
  axis = axis < 0 ? axis + rank : axis;
  if (n.failed())
    return;
  ArrayRef<int64_t> shape = n.shape(value);
  int64_t rows = 1, columns = 1;
  for (int64_t extent : shape.take_front(axis))
    rows *= extent;
  for (int64_t extent : shape.drop_front(axis))
    columns *= extent;
  n.output(0, n.reshape(value, {rows, columns}));
}

/// Axes are an attribute up to opset 12, then an input.
SmallVector<int64_t> axesOf(Node &n, int64_t rank, bool isRequired) {
  n.expectInputs(1, n.opset() < 13 ? 1 : 2);
  SmallVector<int64_t> values = n.opset() < 13 ? n.integers("axes")
                                               : (isRequired || n.has(1) ? n.constantInts(1, "axes")
                                                                         : SmallVector<int64_t>());
  return values;
}

void importSqueeze(Node &n) {
  Value value = n.input(0);
  SmallVector<int64_t> dims = n.axes(axesOf(n, n.rank(value), false), n.rank(value));
  bool isGiven = n.has(1) || n.hasAttribute("axes");
  for (auto [index, extent] : llvm::enumerate(n.shape(value))) {
    int64_t dim = static_cast<int64_t>(index);
    if (!isGiven && extent == 1)
      dims.push_back(dim);
    if (isGiven && extent != 1 && llvm::is_contained(dims, dim))
      return n.fail("axis " + Twine(dim) + " has the extent " + Twine(extent) + ", not 1");
  }
  n.output(0, n.squeeze(value, dims));
}

void importUnsqueeze(Node &n) {
  Value value = n.input(0);
  SmallVector<int64_t> values = axesOf(n, n.rank(value), true);
  int64_t rank = n.rank(value) + static_cast<int64_t>(values.size());
  SmallVector<int64_t> dims = n.axes(values, rank);
  n.output(0, n.unsqueeze(value, dims));
}

/// Broadcasts both ways: the given shape may have ones where the input has more.
void importExpand(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0);
  SmallVector<int64_t> shape = n.constantInts(1, "shape");
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return n.fail("shape has a negative extent");
  auto full = broadcastShapes(n.shape(value), shape);
  if (!full)
    return n.fail("shape " + shapeText(n.shape(value)) + " doesn't expand to " + shapeText(shape));
  n.output(0, n.broadcast(value, *full));
}

void importTranspose(Node &n) {
  n.expectInputs(1, 1);
  Value value = n.input(0);
  auto reversed = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, n.rank(value))));
  n.output(0, n.transpose(value, n.integers("perm", reversed)));
}

void importIdentity(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, n.input(0));
}

} // namespace

void registerShape(OpTable &table) {
  table.add("Expand", importExpand, 8);
  table.add("Flatten", importFlatten);
  table.add("Identity", importIdentity);
  table.add("Reshape", importReshape);
  table.add("Shape", importShape);
  table.add("Size", importSize);
  table.add("Squeeze", importSqueeze);
  table.add("Transpose", importTranspose);
  table.add("Unsqueeze", importUnsqueeze);
}

} // namespace sheaf::onnx
