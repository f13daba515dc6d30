// Gradients of graph.resize.
//
// Interpolation is linear in the operand and separable, so along each dim it is a matrix: what resize
// makes of the unit vectors. The gradient is multiplied by the transpose of each.
#include "dialects/graph/primitive_builder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// Row `i` says of what elements along `dim` element `i` of the result is made: `[result, operand]`.
static Value matrixOf(PrimitiveBuilder &b, ResizeOp op, int64_t dim, Type element) {
  int64_t from = op.getOperand().getType().getDimSize(dim), to = op.getType().getDimSize(dim);
  auto places = RankedTensorType::get({from, from}, b.getI64Type());
  Value isSame =
      b.compare(CompareKind::eq, IotaOp::create(b, places, 0), IotaOp::create(b, places, 1));
  Value units = b.cast(isSame, element);
  SmallVector<double> region;
  if (!op.getRegion().empty())
    region = {op.getRegion()[dim], 0.0, op.getRegion()[op.getType().getRank() + dim], 1.0};
  return ResizeOp::create(b, RankedTensorType::get({to, from}, element), op.getMode(),
                          op.getCoordinates(), op.getRounding(), units, {op.getScales()[dim], 1.0},
                          region, op.getCubicCoefficient(), /*extrapolation=*/APFloat(0.0),
                          op.getExcludeOutside(), op.getAntialias());
}

SmallVector<Value> ResizeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getType().getElementType(), compute = computeTypeOf(element);
  Value g = b.cast(resultGradients.front(), compute);
  for (int64_t dim : llvm::seq(getType().getRank())) {
    if (keepsPlaces(dim))
      continue;
    // The new dim comes last; it belongs in the place of the old one.
    Value product = ContractOp::create(b, g, matrixOf(b, *this, dim, compute), ArrayRef<int64_t>(),
                                       ArrayRef<int64_t>(), ArrayRef<int64_t>(dim),
                                       ArrayRef<int64_t>(int64_t(0)));
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(getType().getRank() - 1));
    order.insert(order.begin() + dim, getType().getRank() - 1);
    g = isIdentityPermutation(order) ? product : Value(TransposeOp::create(b, product, order));
  }
  return {b.cast(g, element)};
}
