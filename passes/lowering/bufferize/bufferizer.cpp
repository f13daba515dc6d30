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
  // Destinations that no producer took.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<exec::BufferOp, exec::ViewOp, exec::GetOp>(op) && op.use_empty())
      op.erase();
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
  Type element = cast<exec::BufferType>(buffer.getType()).getElementType();
  return viewAs(buffer, exec::BufferType::get(view.shape, element, view.strides), view.offset);
}

Value Bufferizer::viewAs(Value buffer, exec::BufferType type, int64_t offset) {
  while (auto view = buffer.getDefiningOp<exec::ViewOp>()) {
    offset += static_cast<int64_t>(view.getOffset());
    buffer = view.getSource();
  }
  // Of nothing, every place is the same, and the start is always within the memory.
  if (llvm::is_contained(type.getShape(), 0))
    offset = 0;
  if (offset == 0 && buffer.getType() == type)
    return buffer;
  Value &view = views[{buffer, offset, type}];
  if (!view)
    view = exec::ViewOp::create(declarations, buffer.getLoc(), type, buffer, offset);
  return view;
}

void Bufferizer::copy(Location loc, Value from, Value to) {
  exec::CallOp::create(instructions, loc, abi::calls::copy, DictionaryAttr(), ValueRange(from),
                       ValueRange(to));
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
  if (op->getNumOperands() > 0) {
    std::string element;
    llvm::raw_string_ostream(element) << getElementTypeOrSelf(op->getOperand(0).getType());
    diagnostic << " on " << element;
  }
  return diagnostic;
}

BufferizeRules::BufferizeRules() {
  addInstructionRules(*this);
  addJoinRules(*this);
  addViewRules(*this);
}

} // namespace sheaf::lowering
