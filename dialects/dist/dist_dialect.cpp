// Registers the dist dialect.
#include "dialects/dist/dist.h"
#include "dialects/dist/tensor_sharding.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sheaf::dist;

#include "dialects/dist/dist_base.cpp.inc"
#include "dialects/dist/dist_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/dist_attrs.cpp.inc"

/// The role that dialect graph gives to new values of variables.
static constexpr llvm::StringLiteral kUpdateRole("graph.update");

void DistDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/dist/dist_attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/dist/dist_ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes on other ops
//===----------------------------------------------------------------------===//

LogicalResult DistDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kBlocked)
    return isa<StringAttr>(attribute.getValue())
               ? success()
               : op->emitOpError("'") << kBlocked << "' must be a string of factors";
  if (attribute.getName() == kSharedAxes) {
    auto axes = dyn_cast<AxesAttr>(attribute.getValue());
    return axes ? verifyAxes(op, axes.getMesh(), axes.getAxes(), kSharedAxes)
                : op->emitOpError("'") << kSharedAxes << "' must be a #dist.axes";
  }
  if (attribute.getName() == kParameters) {
    auto names = dyn_cast<ArrayAttr>(attribute.getValue());
    return names && names.size() == op->getNumResults() &&
                   llvm::all_of(names, llvm::IsaPred<StringAttr>)
               ? success()
               : op->emitOpError("'") << kParameters << "' must be an array of "
                                      << op->getNumResults() << " strings, one for each result";
  }
  if (attribute.getName() == kGatheredAgain)
    return isa<UnitAttr>(attribute.getValue())
               ? success()
               : op->emitOpError("'") << kGatheredAgain << "' must be a unit";
  if (attribute.getName() != kShardings)
    return op->emitOpError("unknown attribute '")
           << attribute.getName().strref() << "'; ops carry '" << kShardings << "', '" << kBlocked
           << "', '" << kParameters << "' or '" << kGatheredAgain << "'";
  auto shardings = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!shardings || shardings.size() != op->getNumResults() ||
      !llvm::all_of(shardings, llvm::IsaPred<ShardingAttr>))
    return op->emitOpError("'") << kShardings << "' must be an array of " << op->getNumResults()
                                << " #dist.sharding, one for each result";
  for (auto [index, sharding] : llvm::enumerate(shardings.getAsRange<ShardingAttr>()))
    if (failed(verifySharding(op, sharding, op->getResult(index).getType(),
                              "result " + std::to_string(index))))
      return failure();
  return success();
}

/// Of argument or result `what` of a function; `type` is its type.
static LogicalResult verifyPlace(Operation *op, Type type, ArrayRef<NamedAttribute> all,
                                 NamedAttribute attribute, const std::string &what) {
  auto whole = llvm::find_if(all, [](NamedAttribute a) { return a.getName() == kWhole; });
  if (attribute.getName() == kSharding) {
    auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
    if (!sharding)
      return op->emitOpError("'") << kSharding << "' of " << what << " must be a #dist.sharding";
    return verifySharding(op, sharding, type, what);
  }
  if (attribute.getName() != kWhole)
    return op->emitOpError("unknown attribute '")
           << attribute.getName().strref() << "' of " << what << "; expected '" << kSharding
           << "' or '" << kWhole << "'";
  auto wholeType = dyn_cast<TypeAttr>(whole->getValue());
  auto tensor = wholeType ? dyn_cast<RankedTensorType>(wholeType.getValue()) : nullptr;
  auto sharding = llvm::find_if(all, [](NamedAttribute a) { return a.getName() == kSharding; });
  if (!tensor || sharding == all.end() || !isa<ShardingAttr>(sharding->getValue()))
    return op->emitOpError("'") << kWhole << "' of " << what << " must be a tensor type beside a '"
                                << kSharding << "'";
  auto attr = cast<ShardingAttr>(sharding->getValue());
  if (failed(verifySharding(op, attr, tensor, what)))
    return failure();
  Type block =
      blockTypeOf(tensor, TensorSharding::from(attr, findMesh(op, attr.getMesh()).getMesh()));
  if (block != type)
    return op->emitOpError() << what << " is of type " << type << ", but the block of " << tensor
                             << " is " << block;
  return success();
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("argument attribute '")
           << attribute.getName().strref() << "' belongs on the arguments of a function";
  if (attribute.getName() == kGroup)
    return isa<IntegerAttr>(attribute.getValue()) ? success()
                                                  : op->emitOpError("'")
                                                        << kGroup << "' of argument " << argIndex
                                                        << " must be an integer";
  return verifyPlace(op, function.getArgumentTypes()[argIndex],
                     mlir::function_interface_impl::getArgAttrs(function, argIndex), attribute,
                     "argument " + std::to_string(argIndex));
}

/// What a variable becomes is what its ranks hold: parts that have not been combined, such as those of a gradient,
/// would make another value of each copy, and no rank would notice.
static LogicalResult verifyUpdate(Operation *op, ArrayRef<NamedAttribute> all,
                                  NamedAttribute attribute, const std::string &what) {
  auto update = llvm::find_if(all, [](NamedAttribute a) { return a.getName() == kUpdateRole; });
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  if (update == all.end() || !sharding || sharding.getPartial().empty())
    return success();
  return op->emitOpError() << what << " updates " << update->getValue()
                           << " and is partial; a variable is whole or in blocks: combine it first";
}

LogicalResult DistDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned resultIndex,
                                                       NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  ArrayRef<NamedAttribute> all =
      mlir::function_interface_impl::getResultAttrs(function, resultIndex);
  std::string what = "result " + std::to_string(resultIndex);
  if (failed(verifyPlace(op, function.getResultTypes()[resultIndex], all, attribute, what)))
    return failure();
  return verifyUpdate(op, all, attribute, what);
}
