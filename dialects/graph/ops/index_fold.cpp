// Folds of gathers and scatters. An index out of range stays, so that the error at run time names the op.
#include "dialects/graph/fold/element.h"
#include "dialects/graph/fold/places.h"
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// The place an index of a dim of this extent means; none when it is out of range.
std::optional<int64_t> resolve(const Element &element, Bits bits, int64_t extent) {
  int64_t index = element.extend(bits);
  if (index < -extent || index >= extent)
    return std::nullopt;
  return index < 0 ? index + extent : index;
}

int64_t countOf(ArrayRef<int64_t> shape) { return ShapedType::getNumElements(shape); }

/// Operand and indices of a gather, small enough to read, and what has been taken.
struct Gather {
  Constant operand, indices;
  Element index;
  SmallVector<Bits> elements;

  static std::optional<Gather> of(Attribute operand, Attribute indices, RankedTensorType result) {
    std::optional<Constant> from = Constant::of(operand), at = Constant::of(indices);
    if (!from || !at || !at->isReadable() || !isSmall(at->getType()) || !isSmall(result))
      return std::nullopt;
    return Gather{*from, *at, Element(at->getType().getElementType()), {}};
  }

  /// Takes `count` elements from `place`.
  void take(int64_t place, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(operand[place + i]);
  }
};

} // namespace

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  std::optional<Gather> gather = Gather::of(adaptor.getOperand(), adaptor.getIndices(), getType());
  if (!gather)
    return nullptr;
  ArrayRef<int64_t> shape = getOperand().getType().getShape();
  int64_t dim = getDim(), batchDims = getBatchDims(), extent = shape[dim];
  int64_t numBatches = countOf(shape.take_front(batchDims));
  int64_t numOuter = countOf(shape.slice(batchDims, dim - batchDims));
  int64_t numInner = countOf(shape.drop_front(dim + 1));
  int64_t numIndices = countOf(getIndices().getType().getShape().drop_front(batchDims));
  for (int64_t batch = 0; batch < numBatches; ++batch)
    for (int64_t outer = batch * numOuter; outer < (batch + 1) * numOuter; ++outer)
      for (int64_t i = 0; i < numIndices; ++i) {
        Bits bits = gather->indices[batch * numIndices + i];
        std::optional<int64_t> index = resolve(gather->index, bits, extent);
        if (!index)
          return nullptr;
        gather->take((outer * extent + *index) * numInner, numInner);
      }
  return makeConstant(getType(), gather->elements);
}

OpFoldResult GatherElementsOp::fold(FoldAdaptor adaptor) {
  std::optional<Gather> gather = Gather::of(adaptor.getOperand(), adaptor.getIndices(), getType());
  if (!gather)
    return nullptr;
  int64_t dim = getDim(), extent = getOperand().getType().getDimSize(dim);
  Places places{getType().getShape(), stridesOf(getOperand().getType().getShape())};
  int64_t step = std::exchange(places.steps[dim], 0), at = 0;
  bool isInRange = true;
  places.forEach([&](int64_t place) {
    std::optional<int64_t> index = resolve(gather->index, gather->indices[at++], extent);
    isInRange &= index.has_value();
    if (isInRange)
      gather->take(place + *index * step, 1);
  });
  return isInRange ? makeConstant(getType(), gather->elements) : OpFoldResult();
}

OpFoldResult GatherNDOp::fold(FoldAdaptor adaptor) {
  std::optional<Gather> gather = Gather::of(adaptor.getOperand(), adaptor.getIndices(), getType());
  if (!gather)
    return nullptr;
  ArrayRef<int64_t> shape = getOperand().getType().getShape();
  ArrayRef<int64_t> indexShape = getIndices().getType().getShape();
  int64_t batchDims = getBatchDims(), tupleSize = indexShape.back();
  SmallVector<int64_t> strides = stridesOf(shape);
  int64_t numBatches = countOf(shape.take_front(batchDims));
  int64_t numTuples = countOf(indexShape.drop_front(batchDims).drop_back());
  int64_t batchSize = countOf(shape.drop_front(batchDims));
  int64_t numInner = countOf(shape.drop_front(batchDims + tupleSize));
  for (int64_t tuple = 0; tuple < numBatches * numTuples; ++tuple) {
    int64_t place = tuple / numTuples * batchSize;
    for (int64_t i = 0; i < tupleSize; ++i) {
      Bits bits = gather->indices[tuple * tupleSize + i];
      std::optional<int64_t> index = resolve(gather->index, bits, shape[batchDims + i]);
      if (!index)
        return nullptr;
      place += *index * strides[batchDims + i];
    }
    gather->take(place, numInner);
  }
  return makeConstant(getType(), gather->elements);
}

/// Exporters spell an assignment to all of a tensor as a scatter to every place in order.
OpFoldResult ScatterNDOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  std::optional<Constant> places = Constant::of(adaptor.getIndices());
  if (getKind() != ScatterKind::set || getUpdates().getType() != type || !places ||
      !places->isReadable())
    return nullptr;
  // Updates of the operand's shape hold whole tuples of places, one for each element.
  Element index(places->getType().getElementType());
  int64_t next = 0;
  for (int64_t place = 0; place < type.getNumElements(); ++place) {
    int64_t offset = 0;
    for (int64_t extent : type.getShape()) {
      std::optional<int64_t> along = resolve(index, (*places)[next++], extent);
      if (!along)
        return nullptr;
      offset = offset * extent + *along;
    }
    if (offset != place)
      return nullptr;
  }
  return getUpdates();
}
