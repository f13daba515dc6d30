// Checks schedules against the programs that they run.
#include "dialects/exec/exec.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sheaf::exec;

namespace {

/// The inputs, or outputs, of a schedule, and the parts that have them.
class PartValues {
public:
  PartValues(ScheduleOp schedule, ArrayAttr names, StringRef role)
      : schedule(schedule), names(names), role(role) {}

  LogicalResult checkDistinct() {
    llvm::StringSet<> seen;
    for (auto name : names.getAsRange<StringAttr>())
      if (!seen.insert(name).second) // (C1)
        return schedule.emitOpError() << "has two " << role << "s named " << name;
    return success();
  }

  LogicalResult add(ProgramOp part, ArrayAttr ofPart, ArrayRef<BlockArgument> buffers) {
    for (auto [name, buffer] : llvm::zip_equal(ofPart.getAsRange<StringAttr>(), buffers)) {
      if (!llvm::is_contained(names, name)) // (C3)
        return schedule.emitOpError() << "has no " << role << " " << name << ", which part @"
                                      << part.getSymName() << " has";
      auto [entry, isNew] = known.try_emplace(name, buffer);
      BlockArgument first = entry->second;
      auto firstPart = cast<ProgramOp>(first.getOwner()->getParentOp());
      if (first.getType() != buffer.getType()) // (C3)
        return schedule.emitOpError() << role << " " << name << " is of type " << first.getType()
                                      << " in part @" << firstPart.getSymName() << ", of type "
                                      << buffer.getType() << " in part @" << part.getSymName();
      if (role == "output" && firstPart != part) // (C4)
        return schedule.emitOpError()
               << "output " << name << " is given by part @" << firstPart.getSymName()
               << " and by part @" << part.getSymName();
    }
    return success();
  }

  LogicalResult checkComplete() {
    for (auto name : names.getAsRange<StringAttr>())
      if (!known.contains(name)) // (C3)
        return schedule.emitOpError() << role << " " << name << " is of no part";
    return success();
  }

private:
  ScheduleOp schedule;
  ArrayAttr names;
  StringRef role;
  llvm::StringMap<BlockArgument> known;
};

} // namespace

LogicalResult ScheduleOp::verify() {
  for (Operation &op : getBlock())
    if (!isa<RunOp>(op)) // (C2)
      return emitOpError() << "holds " << op.getName() << "; it can hold exec.run only";
  if (failed(PartValues(*this, getInputs(), "input").checkDistinct()))
    return failure();
  return PartValues(*this, getOutputs(), "output").checkDistinct();
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  PartValues inputs(*this, getInputs(), "input"), outputs(*this, getOutputs(), "output");
  bool isComplete = true;
  for (auto run : getBlock().getOps<RunOp>()) {
    Operation *part = symbols.lookupNearestSymbolFrom(*this, run.getProgramAttr());
    if (isa_and_nonnull<FunctionOpInterface>(part)) {
      isComplete = false;
      continue;
    }
    auto program = dyn_cast_or_null<ProgramOp>(part);
    if (!program) // (C2)
      return run.emitOpError() << "finds no program " << run.getProgramAttr();
    if (failed(inputs.add(program, program.getInputs(), program.getInputBuffers())) ||
        failed(outputs.add(program, program.getOutputs(), program.getOutputBuffers())))
      return failure();
  }
  if (!isComplete)
    return success();
  if (failed(inputs.checkComplete()))
    return failure();
  return outputs.checkComplete();
}

LogicalResult RunOp::verify() {
  if (auto times = static_cast<int64_t>(getTimes()); times < 1) // (C1)
    return emitOpError() << "runs " << getProgramAttr() << " " << times
                         << " times; it must be at least once";
  return success();
}
