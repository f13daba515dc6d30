// Vector code of graph.constant and graph.iota.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

Value ConstantOp::emit(Emitter &emitter, ValueRange) {
  auto splat = cast<SplatElementsAttr>(getValue());
  Type element = splat.getElementType();
  Type type = Emitter::computeTypeOf(element);
  if (isa<FloatType>(element))
    return emitter.splat(type, splat.getSplatValue<APFloat>().convertToDouble());
  // Sign or zero bits beyond the type's own do not matter: splats wrap.
  return emitter.splat(type, splat.getSplatValue<APInt>().getSExtValue());
}

Value IotaOp::emit(Emitter &emitter, ValueRange) {
  ImplicitLocOpBuilder &b = emitter.builder();
  Value position = emitter.position(getDim());
  Type element = cast<RankedTensorType>(getType()).getElementType();
  Type type = Emitter::computeTypeOf(element);
  VectorType vector = emitter.vectorOf(type);
  if (isa<FloatType>(type))
    return emitter.roundTo(element, arith::SIToFPOp::create(b, vector, position));
  if (type.isInteger(64))
    return position;
  return arith::TruncIOp::create(b, vector, position);
}
