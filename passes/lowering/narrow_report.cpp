// Finds contractions of 8-bit floats.
#include "passes/lowering/narrow_report.h"

#include "passes/lowering/emit/element_types.h"
#include "runtime/abi/calls.h"
#include "runtime/abi/narrow_product.h"

namespace sheaf::lowering {

NarrowReport::NarrowReport(mlir::ModuleOp module) {
  for (auto program : module.getOps<exec::ProgramOp>())
    for (auto call : program.getBlock().getOps<exec::CallOp>()) {
      if (call.getCallee() != abi::calls::contract)
        continue;
      ++numProducts;
      auto factor = mlir::cast<exec::BufferType>(call.getIns()[0].getType());
      auto type = abiElementType(factor.getElementType());
      if (type && abi::isNarrowFactor(*type))
        narrow.push_back(call);
    }
}

} // namespace sheaf::lowering
