// Finds the user's node in a location.
#include "passes/lowering/emit/node_name.h"

#include "mlir/IR/BuiltinAttributes.h"

std::string sheaf::lowering::nodeName(mlir::Location loc) {
  std::string name;
  loc->walk([&](mlir::Location part) {
    if (auto named = mlir::dyn_cast<mlir::NameLoc>(part)) {
      name = named.getName().str();
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return name;
}
