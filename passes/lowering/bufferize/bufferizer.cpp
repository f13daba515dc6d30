// Keeps track of buffers while a function becomes a program.
#include "passes/lowering/bufferize/bufferizer.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {

Bufferizer::Bufferizer(exec::ProgramOp program, VariableTable &variables, KernelTable &kernels)
    : declarations(program.getContext()), instructions(program.getContext()), program(program),
      variableTable(variables), kernelTable(kernels) {
  declarations.setInsertionPointToEnd(&program.getBlock());
  instructions.setInsertionPointToEnd(&pending);
}

void Bufferizer::finish() {
  Block &block = program.getBlock();
  block.getOperations().splice(block.end(), pending.getOperations());
}

Value Bufferizer::declare(Location loc, exec::BufferType type) {
  return exec::BufferOp::create(declarations, loc, type, IntegerAttr());
}

Value Bufferizer::declare(exec::VariableOp variable) {
  Value &memory = gets[variable];
  if (!memory)
    memory = exec::GetOp::create(declarations, variable.getLoc(), variable.getType(),
                                 variable.getSymName());
  return memory;
}

Value Bufferizer::view(Value buffer, const StridedView &view) {
  auto type = cast<exec::BufferType>(buffer.getType());
  auto result = exec::BufferType::get(view.shape, type.getElementType(), view.strides);
  return declarations.createOrFold<exec::ViewOp>(buffer.getLoc(), result, buffer, view.offset);
}

Value Bufferizer::viewAs(Value buffer, exec::BufferType type) {
  return exec::ViewOp::create(declarations, buffer.getLoc(), type, buffer, /*offset=*/0);
}

void Bufferizer::copy(Location loc, Value from, Value to) {
  exec::CallOp::create(instructions, loc, abi::calls::copy, DictionaryAttr(), ValueRange(from),
                       ValueRange(to));
  ++numCopies;
}

Value Bufferizer::getAccepted(Value tensor, function_ref<bool(exec::BufferType)> accepts) {
  Value buffer = get(tensor);
  auto type = cast<exec::BufferType>(buffer.getType());
  if (accepts(type))
    return buffer;
  Value &plain = copies[buffer];
  if (!plain) {
    Location loc = tensor.getLoc();
    plain = declare(loc, exec::BufferType::get(type.getShape(), type.getElementType()));
    copy(loc, buffer, plain);
  }
  return plain;
}

Value Bufferizer::destinationOf(Value result) {
  if (Value proposed = proposals.lookup(result))
    return proposed;
  return declare(result.getLoc(), exec::BufferType::of(cast<RankedTensorType>(result.getType())));
}

LogicalResult BufferizeRules::apply(Operation *op, Bufferizer &bufferizer) const {
  auto rule = rules.find(op->getName().getStringRef());
  if (rule != rules.end())
    return rule->second(op, bufferizer);
  auto diagnostic = op->emitError() << "no host kernel for " << op->getName();
  if (op->getNumOperands() > 0)
    diagnostic << " on " << getElementTypeOrSelf(op->getOperand(0).getType());
  return diagnostic;
}

BufferizeRules::BufferizeRules() {
  addInstructionRules(*this);
  addJoinRules(*this);
  addViewRules(*this);
}

} // namespace sheaf::lowering
