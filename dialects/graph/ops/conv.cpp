// Semantics of the convolutions: shapes and cost.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"
#include "dialects/graph/ops/window.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {
/// What conv and its gradients have in common: the attributes of the convolution.
struct Convolution {
  RankedTensorType input, filter;
  Window window;
  int64_t groups;

  /// The type of the convolution's result, or an error.
  FailureOr<RankedTensorType> resultType(std::optional<Location> location) const;
};
} // namespace

template <typename OpOrAdaptor>
static Convolution convolutionOf(OpOrAdaptor op, Type input, Type filter) {
  auto filterType = cast<RankedTensorType>(filter);
  ArrayRef<int64_t> extents =
      filterType.getRank() < 2 ? ArrayRef<int64_t>() : filterType.getShape().drop_front(2);
  Window window{extents, op.getStrides(), op.getPaddingLow(), op.getPaddingHigh(),
                op.getDilations()};
  return {cast<RankedTensorType>(input), filterType, window, int64_t(op.getGroups())};
}

FailureOr<RankedTensorType> Convolution::resultType(std::optional<Location> location) const {
  int64_t rank = input.getRank();
  if (rank < 3 || filter.getRank() != rank)
    return emitOptionalError(location,
                             "input and filter must have one rank of at least 3, but have ", rank,
                             " and ", filter.getRank());
  if (input.getElementType() != filter.getElementType())
    return emitOptionalError(location, "input and filter must have one element type, but have ",
                             input.getElementType(), " and ", filter.getElementType());
  if (failed(window.check(location, rank - 2))) // (C1)
    return failure();
  int64_t c = input.getDimSize(1), o = filter.getDimSize(0);
  if (groups < 1 || c % groups != 0 || c / groups != filter.getDimSize(1)) // (C2)
    return emitOptionalError(location, "input has ", c, " channels, but filter dim 1 (",
                             filter.getDimSize(1), ") times groups (", groups, ") must equal them");
  if (o % groups != 0)
    return emitOptionalError(location, "filter dim 0 (", o, ") must be a multiple of groups (",
                             groups, ")");
  SmallVector<int64_t> shape{input.getDimSize(0), o};
  SmallVector<int64_t> places = window.places(input.getShape().drop_front(2));
  for (auto [i, extent] : llvm::enumerate(places)) {
    int64_t padded = input.getDimSize(i + 2) + window.paddingLow[i] + window.paddingHigh[i];
    if (extent < 1 && padded != 0) // (C3)
      return emitOptionalError(location, "the window of spatial dim ", i, " (", window.extents[i],
                               ", dilation ", window.dilations[i],
                               ") is larger than the padded input (", padded, ")");
    shape.push_back(std::max<int64_t>(extent, 0));
  }
  return RankedTensorType::get(shape, input.getElementType());
}

/// Two flops for each weight that meets an element of the output.
static int64_t flopsOf(RankedTensorType output, RankedTensorType filter) {
  int64_t o = filter.getDimSize(0);
  return o == 0 ? 0 : 2 * output.getNumElements() * (filter.getNumElements() / o);
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      convolutionOf(adaptor, adaptor.getInput().getType(), adaptor.getFilter().getType())
          .resultType(location);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

Cost ConvOp::getCost() {
  return costOf(*this, flopsOf(getResult().getType(), getFilter().getType()));
}

/// (C1) of the gradients: the convolution's result is of the type of `outputGrad`.
static LogicalResult checkOutputGrad(Operation *op, const Convolution &convolution,
                                     Type outputGrad) {
  FailureOr<RankedTensorType> expected = convolution.resultType(op->getLoc());
  if (failed(expected))
    return failure();
  if (outputGrad != *expected)
    return op->emitOpError("output gradient is of type ")
           << outputGrad << ", but the convolution's result is of type " << *expected;
  return success();
}

LogicalResult ConvInputGradOp::verify() {
  return checkOutputGrad(*this, convolutionOf(*this, getResult().getType(), getFilter().getType()),
                         getOutputGrad().getType());
}

Cost ConvInputGradOp::getCost() {
  return costOf(*this, flopsOf(getOutputGrad().getType(), getFilter().getType()));
}

LogicalResult ConvFilterGradOp::verify() {
  return checkOutputGrad(*this, convolutionOf(*this, getInput().getType(), getResult().getType()),
                         getOutputGrad().getType());
}

Cost ConvFilterGradOp::getCost() {
  return costOf(*this, flopsOf(getOutputGrad().getType(), getResult().getType()));
}
