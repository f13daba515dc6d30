// What the scales of contractions of 8-bit floats mean for the operands behind them.
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/epilogue/epilogue.h"
#include "runtime/abi/narrow_product.h"

namespace sheaf::lowering {

unsigned biasPlace(exec::ApplyOp call) {
  unsigned place = 2;
  for (llvm::StringRef scale : {"has_lhs_scale", "has_rhs_scale"})
    if (call.getParam(scale))
      ++place;
  return place;
}

bool takesBias(exec::ApplyOp call) {
  auto typeOf = [](mlir::Type type) { return abiElementType(mlir::getElementTypeOrSelf(type)); };
  auto factor = typeOf(call.getIns()[0].getType()), result = typeOf(call.getResultTypes()[0]);
  bool isNarrow = factor && abi::isNarrowFactor(*factor);
  return !isNarrow || (result && abi::addsNarrowBias(*result));
}

} // namespace sheaf::lowering
