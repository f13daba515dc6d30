// Finds what is computed in a narrow type and clones it so.
#include "passes/training/precision.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {

static bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

bool ModelPrecision::isMoving(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value value) { return moving.contains(value); });
}

ModelPrecision::ModelPrecision(func::FuncOp model, Type narrow, ArrayRef<unsigned> trained)
    : narrow(narrow) {
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

Value ModelPrecision::narrowed(PrimitiveBuilder &b, Value value) const {
  return narrow && isF32(value.getType()) ? b.cast(value, narrow) : value;
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
