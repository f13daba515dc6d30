// Registers the graph dialect and its attributes.
#include "dialects/graph/graph.h"
#include "dialects/support/stored_size.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sheaf::graph;

#include "dialects/graph/graph_base.cpp.inc"
#include "dialects/graph/graph_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/graph_attrs.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/graph/graph_attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/graph_ops.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, typed);
}

LogicalResult ExternalAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef file,
                                   int64_t offset, int64_t length, Type type) {
  int64_t end;
  if (offset < 0 || length < 0 || llvm::AddOverflow(offset, length, end)) // (C1)
    return emitError() << "range of " << length << " bytes at offset " << offset << " of \"" << file
                       << "\" is negative or overflows";
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<int64_t> bytes = tensor ? sheaf::fileBytes(tensor) : std::nullopt;
  if (!bytes) // (C2)
    return emitError() << "type " << type << " of \"" << file << "\" has no static size";
  if (*bytes != length) // (C2)
    return emitError() << "type " << type << " takes " << *bytes << " bytes but \"" << file
                       << "\" gives " << length;
  return success();
}
