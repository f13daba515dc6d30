// Emits an op into a block of its own and counts.
#include "passes/lowering/kernel/op_profile.h"

#include "dialects/interfaces/graph_interfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/lowering/kernel/host_emitter.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

namespace {
class ProfilingEmitter : public HostEmitter {
public:
  ProfilingEmitter(ImplicitLocOpBuilder &builder, OpProfile &profile)
      : HostEmitter(builder, {/*hasAvx512=*/true}), profile(profile) {}

  Value position(int64_t dim) override {
    profile.countedDims.push_back(dim);
    return splat(builder().getI64Type(), int64_t(0));
  }

private:
  OpProfile &profile;
};
} // namespace

static int64_t costOf(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return 0;
  if (isa<arith::DivFOp, math::SqrtOp, LLVM::CallOp>(op))
    return 8;
  return 1;
}

OpProfile OpProfile::of(Operation *op) {
  OpProfile profile;
  // A module around the code holds the declarations of functions that it calls.
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(op->getContext())));
  ImplicitLocOpBuilder builder(module->getLoc(), module->getBodyRegion());
  ProfilingEmitter emitter(builder, profile);
  Block *block = module->getBody();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Type type = Emitter::computeTypeOf(getElementTypeOrSelf(operand));
    operands.push_back(block->addArgument(emitter.vectorOf(type), builder.getLoc()));
  }
  builder.setInsertionPointToEnd(block);
  cast<EmitOpInterface>(op).emit(emitter, operands);
  for (Operation &emitted : *block) {
    profile.cost += costOf(emitted);
    profile.callsLibrary |= isa<LLVM::CallOp>(emitted);
  }
  // Uses of arguments die before the arguments.
  block->clear();
  return profile;
}
