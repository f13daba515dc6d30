// Reads the roles and names of arguments and results.
#include "passes/lowering/program_signature.h"

using namespace mlir;

namespace sheaf::lowering {

StringAttr inputName(func::FuncOp function, unsigned argument) {
  auto given = function.getArgAttrOfType<StringAttr>(argument, graph::kInput);
  return given ? given : Builder(function).getStringAttr("input" + Twine(argument));
}

StringAttr outputName(func::FuncOp function, unsigned result) {
  auto given = function.getResultAttrOfType<StringAttr>(result, graph::kOutput);
  return given ? given : Builder(function).getStringAttr("output" + Twine(result));
}

bool isVariableArgument(func::FuncOp function, unsigned argument) {
  return function.getArgAttr(argument, graph::kParameter) ||
         function.getArgAttr(argument, graph::kState) || function.getArgAttr(argument, kVariable) ||
         function.getArgAttr(argument, kCarried);
}

bool isVariableResult(func::FuncOp function, unsigned result) {
  return function.getResultAttr(result, kVariable) || function.getResultAttr(result, kCarried) ||
         function.getResultAttr(result, graph::kUpdate);
}

} // namespace sheaf::lowering
