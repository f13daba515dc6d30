// Checks the roles of function arguments and results: which names and sources they carry.
#include "dialects/graph/graph.h"
#include "dialects/support/stored_size.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

bool isRole(StringRef name) { return name == kInput || name == kParameter || name == kState; }

/// Where an argument's value is stored: of a parameter or state the first one, of an input its
/// default. Of the argument's type.
LogicalResult verifySource(FunctionOpInterface function, unsigned argIndex, Attribute source) {
  if (llvm::none_of(function.getArgAttrs(argIndex),
                    [](NamedAttribute other) { return isRole(other.getName()); }))
    return function.emitOpError("argument ")
           << argIndex << " has '" << kSource << "' but no role: '" << kInput << "', '"
           << kParameter << "' or '" << kState << "'";
  if (!isa<ElementsAttr, ExternalAttr>(source))
    return function.emitOpError("'") << kSource << "' of argument " << argIndex
                                     << " must be the elements or a #graph.external";
  Type type = cast<TypedAttr>(source).getType();
  // Of the whole value where the argument is one rank's part of it (dialects/dist).
  auto whole = function.getArgAttrOfType<TypeAttr>(argIndex, "dist.whole");
  Type expected = whole ? whole.getValue() : function.getArgumentTypes()[argIndex];
  if (type != expected)
    return function.emitOpError("'") << kSource << "' of argument " << argIndex << " is of type "
                                     << type << ", the argument of type " << expected;
  return success();
}

/// Two parameters or states have two names. Looked at once for all arguments: at the first one that has a role.
LogicalResult verifyNames(FunctionOpInterface function, unsigned argIndex) {
  auto hasRole = [&](unsigned index) {
    return llvm::any_of(function.getArgAttrs(index),
                        [](NamedAttribute other) { return isRole(other.getName()); });
  };
  if (llvm::any_of(llvm::seq(argIndex), hasRole))
    return success();
  llvm::DenseMap<Attribute, unsigned> argumentOf;
  for (unsigned index : llvm::seq(argIndex, function.getNumArguments()))
    for (StringRef kind : {kParameter, kState})
      if (Attribute name = function.getArgAttr(index, kind))
        if (auto [known, isNew] = argumentOf.try_emplace(name, index); !isNew)
          return function.emitOpError("arguments ")
                 << known->second << " and " << index << " are both the variable " << name;
  return success();
}

/// The variable that a result updates is an argument, of the result's type; nothing else updates it.
LogicalResult verifyUpdate(FunctionOpInterface function, unsigned resultIndex, StringAttr name) {
  for (unsigned other : llvm::seq(resultIndex))
    if (function.getResultAttr(other, kUpdate) == name)
      return function.emitOpError("results ")
             << other << " and " << resultIndex << " both update " << name;
  for (unsigned index : llvm::seq(function.getNumArguments()))
    if (function.getArgAttr(index, kParameter) == name ||
        function.getArgAttr(index, kState) == name) {
      if (function.getArgumentTypes()[index] == function.getResultTypes()[resultIndex])
        return success();
      return function.emitOpError("result ")
             << resultIndex << " of type " << function.getResultTypes()[resultIndex]
             << " can't update " << name << " of type " << function.getArgumentTypes()[index];
    }
  return function.emitOpError("result ") << resultIndex << " updates " << name
                                         << ", which is no parameter or state of the function";
}

} // namespace

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("argument attribute '")
           << attribute.getName().strref() << "' belongs on the arguments of a function";
  if (attribute.getName() == kSource)
    return verifySource(function, argIndex, attribute.getValue());
  if (attribute.getName() == kKept) {
    if (!function.getArgAttr(argIndex, kParameter) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError("'") << kKept << "' of argument " << argIndex
                                  << " is a unit, and belongs on a '" << kParameter << "'";
    return success();
  }
  if (attribute.getName() == kStateOf) {
    if (!function.getArgAttr(argIndex, kState) || !isa<StringAttr>(attribute.getValue()))
      return op->emitOpError("'") << kStateOf << "' of argument " << argIndex
                                  << " is the name of a parameter, and belongs on a '" << kState
                                  << "'";
    return success();
  }
  if (attribute.getName() == kPadding) {
    if (!function.getArgAttr(argIndex, kInput) || !isa<IntegerAttr>(attribute.getValue()))
      return op->emitOpError("'") << kPadding << "' of argument " << argIndex
                                  << " is an integer, and belongs on a '" << kInput << "'";
    return success();
  }
  if (!isRole(attribute.getName()))
    return op->emitOpError("unknown argument attribute '")
           << attribute.getName().strref() << "'; expected '" << kInput << "', '" << kParameter
           << "', '" << kState << "' or '" << kSource << "'";
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitOpError("'") << attribute.getName().strref() << "' of argument " << argIndex
                                << " must be a string, the name in the model file";
  for (NamedAttribute other : function.getArgAttrs(argIndex))
    if (isRole(other.getName()) && other.getName() != attribute.getName())
      return op->emitOpError("argument ")
             << argIndex << " is both '" << attribute.getName().strref() << "' and '"
             << other.getName().strref() << "'";
  return verifyNames(function, argIndex);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned resultIndex,
                                                        NamedAttribute attribute) {
  if (attribute.getName() != kOutput && attribute.getName() != kUpdate)
    return op->emitOpError("unknown result attribute '")
           << attribute.getName().strref() << "'; expected '" << kOutput << "' or '" << kUpdate
           << "'";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name)
    return op->emitOpError("'") << attribute.getName().strref() << "' of result " << resultIndex
                                << " must be a string, the name in the model file";
  return attribute.getName() == kUpdate
             ? verifyUpdate(cast<FunctionOpInterface>(op), resultIndex, name)
             : success();
}
