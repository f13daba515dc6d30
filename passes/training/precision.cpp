// Parses the types of a step, finds what is computed in a narrow type and clones it so.
#include "passes/training/precision.h"

#include "dialects/graph/graph.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {

static bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

/// The type that option `option` names, one of `names`; null for f32.
static FailureOr<Type> parseType(MLIRContext *context, StringRef option, StringRef name,
                                 ArrayRef<StringRef> names,
                                 function_ref<InFlightDiagnostic()> emitError) {
  if (!llvm::is_contained(names, name))
    return emitError() << option << " \"" << name << "\" is unknown; there are "
                       << llvm::join(names.drop_back(), ", ") << " and " << names.back();
  return name == "bf16" || name == "fp8" ? Type(BFloat16Type::get(context))
         : name == "f16"                 ? Type(Float16Type::get(context))
                                         : Type();
}

FailureOr<StepPrecision> StepPrecision::create(MLIRContext *context,
                                               const PrecisionOptions &options,
                                               function_ref<InFlightDiagnostic()> emitError) {
  auto compute =
      parseType(context, "precision", options.compute, {"f32", "bf16", "f16", "fp8"}, emitError);
  auto reduce =
      parseType(context, "reduce-type", options.reduce, {"f32", "bf16", "f16"}, emitError);
  auto state = parseType(context, "state-type", options.state, {"f32", "bf16"}, emitError);
  auto parameter =
      parseType(context, "parameter-type", options.parameter, {"f32", "bf16", "f16"}, emitError);
  if (failed(compute) || failed(reduce) || failed(state) || failed(parameter))
    return failure();
  if (options.reduce == "f16" && options.compute != "f16")
    return emitError()
           << "gradients in f16 underflow without a loss scale, which precision f16 has";
  if (*parameter && *parameter != *compute)
    return emitError() << "parameter-type " << options.parameter << " needs precision "
                       << options.parameter << ", found " << options.compute;
  if (options.keepsMaster && !*parameter)
    return emitError() << "master-weights has no effect on parameters of f32";
  return StepPrecision{
      *compute, *reduce, *state, *parameter, options.keepsMaster, options.compute == "fp8"};
}

Value narrowedTo(PrimitiveBuilder &b, Value value, Type narrow) {
  return narrow && isF32(value.getType()) ? b.cast(value, narrow) : value;
}

Value partsNarrowedTo(PrimitiveBuilder &b, Value value, Type narrow) {
  Value result = narrowedTo(b, value, narrow);
  if (result != value)
    result.getDefiningOp()->setAttr(kRoundsParts, b.getUnitAttr());
  return result;
}

Value sumWidened(PrimitiveBuilder &b, Value value) {
  Value result = b.cast(value, computeTypeOf(typeOf(value).getElementType()));
  if (result != value)
    result.getDefiningOp()->setAttr(kWaitsForSum, b.getUnitAttr());
  return result;
}

RankedTensorType narrowedTo(RankedTensorType type, Type narrow) {
  return narrow && isF32(type) ? type.clone(narrow) : type;
}

bool ModelPrecision::isMoving(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value value) { return moving.contains(value); });
}

ModelPrecision::ModelPrecision(func::FuncOp model, const StepPrecision &precision,
                               ArrayRef<unsigned> trained)
    : narrow(precision.compute), parameter(precision.parameter) {
  if (!narrow)
    return;
  for (unsigned index : trained)
    if (isF32(model.getArgumentTypes()[index]))
      moving.insert(model.getArgument(index));
  for (Operation &op : model.getBody().front().without_terminator())
    if (isMoving(&op))
      for (Value result : op.getResults())
        if (isF32(result.getType()))
          moving.insert(result);
  for (BlockArgument argument : model.getArguments())
    if (isF32(argument.getType()) &&
        llvm::all_of(argument.getUsers(), [&](Operation *user) { return isMoving(user); }))
      narrowArguments.insert(argument.getArgNumber());
}

void ModelPrecision::clone(OpBuilder &builder, Operation *op, IRMapping &mapping) const {
  if (!narrow || !isMoving(op)) {
    builder.clone(*op, mapping);
    return;
  }
  PrimitiveBuilder b(op->getLoc(), builder);
  IRMapping local;
  for (Value operand : op->getOperands())
    local.map(operand, narrowed(b, mapping.lookup(operand)));
  Operation *copy = builder.clone(*op, local);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults())) {
    if (isF32(to.getType()))
      to.setType(typeOf(to).clone(narrow));
    mapping.map(from, to);
  }
}

} // namespace sheaf::training
