// Instructions and calls in value form.
#include "dialects/exec/exec.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sheaf::exec;

static LogicalResult verifyParams(Operation *op, std::optional<DictionaryAttr> params) {
  if (!params)
    return success();
  for (NamedAttribute param : *params)
    if (!isa<DenseI64ArrayAttr, DenseF64ArrayAttr, IntegerAttr, FloatAttr, StringAttr>(
            param.getValue())) // (C1)
      return op->emitOpError() << "parameter " << param.getName() << " is " << param.getValue()
                               << "; it must be integers, floats or a string";
  return success();
}

LogicalResult CallOp::verify() { return verifyParams(*this, getParams()); }

LogicalResult ApplyOp::verify() { return verifyParams(*this, getParams()); }

Attribute ApplyOp::getParam(StringRef name) {
  return getParams() ? getParams()->get(name) : Attribute();
}

void ApplyOp::setParam(StringRef name, Attribute value) {
  NamedAttrList list(getParams().value_or(DictionaryAttr::get(getContext())));
  list.set(name, value);
  setParamsAttr(list.getDictionary(getContext()));
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel || kernel.getBody().getNumArguments() != getIns().size()) // (C1)
    return emitOpError() << "finds no kernel " << getKernelAttr() << " that reads "
                         << getIns().size() << " buffers";
  return success();
}
