// Boxes of tensors: slices of slices read as one.
#include "passes/graph/segment.h"

#include "mlir/IR/Matchers.h"
#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

Segment Segment::of(Value value) {
  Segment segment{value, {}, SmallVector<int64_t>(shapeOf(value)), {}};
  segment.starts.assign(segment.counts.size(), 0);
  segment.strides.assign(segment.counts.size(), 1);
  while (auto slice = segment.source.getDefiningOp<SliceOp>()) {
    for (size_t dim = 0; dim < segment.starts.size(); ++dim) {
      segment.starts[dim] = slice.getStarts()[dim] + segment.starts[dim] * slice.getStrides()[dim];
      segment.strides[dim] *= slice.getStrides()[dim];
    }
    segment.source = slice.getOperand();
  }
  return segment;
}

bool Segment::isBeside(const Segment &other) const {
  auto others = [](ArrayRef<int64_t> list) { return list.drop_back(); };
  return source == other.source && !starts.empty() && others(starts) == others(other.starts) &&
         others(counts) == others(other.counts) && others(strides) == others(other.strides);
}

Value Segment::build(PrimitiveBuilder &builder) const {
  if (ArrayRef(counts) == shapeOf(source))
    return source;
  SmallVector<int64_t> limits;
  for (size_t dim = 0; dim < counts.size(); ++dim)
    limits.push_back(counts[dim] == 0 ? starts[dim]
                                      : starts[dim] + (counts[dim] - 1) * strides[dim] + 1);
  return SliceOp::create(builder, source, starts, limits, strides);
}

/// Deeper expressions are no spelling of a table of angles.
static constexpr int kMaxDepth = 12;

static bool hasEqualHalves(DenseElementsAttr elements, int64_t dim) {
  if (elements.isSplat())
    return true;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  int64_t inner = 1;
  for (int64_t extent : shape.drop_front(dim))
    inner *= extent;
  auto values = elements.getValues<Attribute>();
  for (int64_t i = 0; i < elements.getNumElements(); ++i)
    if (i % inner < inner / 2 && values[i] != values[i + inner / 2])
      return false;
  return true;
}

static bool hasEqualHalves(const View &outer, int64_t frameDim, int depth) {
  View view = outer.peeled();
  auto *place = llvm::find(view.dims, frameDim);
  if (place == view.dims.end())
    return true; // Repeated along the dim.
  int64_t dim = place - view.dims.begin();
  Operation *op = view.value.getDefiningOp();
  if (!op || depth == kMaxDepth)
    return false;
  auto holdsFor = [&](Value operand) {
    return hasEqualHalves(view.ofOperand(operand), frameDim, depth + 1);
  };
  if (isa<UnaryOp, CastOp>(op) || isa<BinaryOp>(op))
    return llvm::all_of(op->getOperands(), holdsFor);
  if (auto concat = dyn_cast<ConcatOp>(op))
    return int64_t(concat.getDim()) == dim && concat.getNumOperands() == 2 &&
           concat.getOperand(0) == concat.getOperand(1);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    // A row of a table for each index: the dims after those of the indices are the table's.
    int64_t added = gather.getIndices().getType().getRank() - int64_t(gather.getBatchDims()) - 1;
    int64_t tableDim = dim - added;
    return tableDim > int64_t(gather.getDim()) &&
           hasEqualHalves(View(gather.getOperand()), tableDim, depth + 1);
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    bool isWhole = slice.getType().getDimSize(dim) == slice.getOperand().getType().getDimSize(dim);
    return isWhole && hasEqualHalves(View(slice.getOperand()), dim, depth + 1);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return hasEqualHalves(View(transpose.getOperand()), transpose.getPermutation()[dim], depth + 1);
  DenseElementsAttr elements;
  return matchPattern(op, m_Constant(&elements)) && hasEqualHalves(elements, dim);
}

bool sheaf::graph::hasEqualHalves(Value value, int64_t dim) {
  return shapeOf(value)[dim] % 2 == 0 && ::hasEqualHalves(View(value), dim, 0);
}
