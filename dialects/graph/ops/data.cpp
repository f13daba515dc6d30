// Constants, counting and random numbers: verifiers and folds.
#include "dialects/graph/graph.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace sheaf::graph;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  if (!isa<DenseIntOrFPElementsAttr, DenseResourceElementsAttr, ExternalAttr>(getValue())) // (C2)
    return emitOpError("value must be dense elements, a dense resource or a #graph.external");
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return success();
  StringRef key = resource.getRawHandle().getKey();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob) // (C3)
    return emitOpError("resource '") << key << "' has no data";
  int64_t found = blob->getData().size(), expected = *sheaf::memoryBytes(getType());
  if (found != expected) // (C3)
    return emitOpError("resource '")
           << key << "' holds " << found << " bytes, " << getType() << " takes " << expected;
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank();
  if (getDim() < 0 || getDim() >= rank) // (C1)
    return emitOpError("dim ") << getDim() << " is not a dim of a tensor of rank " << rank;
  return success();
}

LogicalResult RandomOp::verify() {
  bool isBoolean = getType().getElementType().isInteger(1);
  if (isBoolean != (getKind() == RandomKind::bernoulli)) // (C1)
    return emitOpError() << stringifyRandomKind(getKind()) << " does not give " << getType();
  if (bool(getFirst()) != getWhole().has_value()) // (C2)
    return emitOpError("has ") << (getFirst() ? "a first element, but no whole tensor"
                                              : "a whole tensor, but no first element");
  if (getWhole() && int64_t(getWhole()->size()) != getType().getRank()) // (C2)
    return emitOpError("is a part of ")
           << getWhole()->size() << " dims, but has " << getType().getRank();
  return success();
}
