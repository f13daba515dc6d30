// What epilogues have to know of contractions of 8-bit floats.
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/epilogue/epilogue.h"
#include "runtime/abi/calls.h"
#include "runtime/abi/narrow_product.h"

namespace sheaf::lowering {

unsigned biasPlace(exec::ApplyOp call) {
  unsigned place = 2;
  for (llvm::StringRef scale : {"has_lhs_scale", "has_rhs_scale"})
    if (call.getParam(scale))
      ++place;
  return place;
}

static std::optional<abi::ElementType> elementType(mlir::Type type) {
  return abiElementType(mlir::getElementTypeOrSelf(type));
}

bool isNarrowProduct(exec::ApplyOp call) {
  std::optional<abi::ElementType> factor = elementType(call.getIns()[0].getType());
  return call.getCallee() == abi::calls::contract && factor && abi::isNarrowFactor(*factor);
}

bool takesBias(exec::ApplyOp call) {
  std::optional<abi::ElementType> result = elementType(call.getResultTypes()[0]);
  return !isNarrowProduct(call) || (result && abi::addsNarrowBias(*result));
}

} // namespace sheaf::lowering
