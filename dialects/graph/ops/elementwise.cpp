// Elementwise ops: verifiers and shape functions.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

LogicalResult UnaryOp::verify() {
  bool isFloat = isa<FloatType>(getType().getElementType());
  switch (getKind()) {
  case UnaryKind::abs:
  case UnaryKind::neg:
  case UnaryKind::sign:
  case UnaryKind::relu:
    return success();
  case UnaryKind::bitwise_not:
    if (isFloat) // (C1)
      return emitOpError("not needs an integer type, not ") << getType().getElementType();
    return success();
  default:
    if (!isFloat) // (C1)
      return emitOpError() << stringifyUnaryKind(getKind()) << " needs a float type, not "
                           << getType().getElementType();
    return success();
  }
}

LogicalResult BinaryOp::verify() {
  bool isFloat = isa<FloatType>(getType().getElementType());
  switch (getKind()) {
  case BinaryKind::bitwise_and:
  case BinaryKind::bitwise_or:
  case BinaryKind::bitwise_xor:
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    if (isFloat) // (C1)
      return emitOpError() << stringifyBinaryKind(getKind()) << " needs an integer type, not "
                           << getType().getElementType();
    return success();
  case BinaryKind::atan2:
    if (!isFloat) // (C1)
      return emitOpError("atan2 needs a float type, not ") << getType().getElementType();
    return success();
  default:
    return success();
  }
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getLhs().getType());
  types.push_back(type.clone(IntegerType::get(context, 1)));
  return success();
}
