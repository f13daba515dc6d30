// Finds what a module's users run, and what that runs.
#include "passes/lowering/whole_program.h"

#include "passes/analysis/byte_count.h"
#include "runtime/abi/planned_memory.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Adds the arguments that have `names` in programs that have not been looked at before.
void addNamed(ArrayAttr names, ArrayRef<ProgramRun> runs, bool isInput,
              SmallVectorImpl<BlockArgument> &arguments) {
  llvm::DenseMap<StringAttr, BlockArgument> known;
  for (const ProgramRun &run : runs) {
    exec::ProgramOp program = run.program;
    ArrayRef<BlockArgument> own = isInput ? program.getInputBuffers() : program.getOutputBuffers();
    for (BlockArgument argument : own)
      known.try_emplace(signatureName(argument), argument);
  }
  for (auto name : names.getAsRange<StringAttr>())
    if (BlockArgument argument = known.lookup(name)) // None where parts are functions still.
      arguments.push_back(argument);
}

} // namespace

StringAttr signatureName(BlockArgument argument) {
  auto program = cast<exec::ProgramOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber(), numInputs = program.getInputs().size();
  return cast<StringAttr>(index < numInputs ? program.getInputs()[index]
                                            : program.getOutputs()[index - numInputs]);
}

WholeProgram::WholeProgram(exec::ProgramOp program)
    : op(program), runList({{program}}), inputBuffers(program.getInputBuffers()),
      outputBuffers(program.getOutputBuffers()) {}

WholeProgram::WholeProgram(exec::ScheduleOp schedule) : op(schedule) {
  for (auto run : schedule.getBlock().getOps<exec::RunOp>())
    if (auto program =
            SymbolTable::lookupNearestSymbolFrom<exec::ProgramOp>(schedule, run.getProgramAttr()))
      runList.push_back({program, static_cast<int64_t>(run.getTimes())});
  addNamed(schedule.getInputs(), runList, /*isInput=*/true, inputBuffers);
  addNamed(schedule.getOutputs(), runList, /*isInput=*/false, outputBuffers);
}

std::vector<WholeProgram> WholeProgram::all(ModuleOp module) {
  llvm::DenseSet<Operation *> parts;
  for (auto schedule : module.getOps<exec::ScheduleOp>()) {
    WholeProgram whole(schedule);
    for (const ProgramRun &run : whole.runs())
      parts.insert(run.program);
  }
  std::vector<WholeProgram> programs;
  for (Operation &op : *module.getBody())
    if (auto schedule = dyn_cast<exec::ScheduleOp>(op))
      programs.emplace_back(schedule);
    else if (auto program = dyn_cast<exec::ProgramOp>(op); program && !parts.contains(program))
      programs.emplace_back(program);
  return programs;
}

WholeProgram WholeProgram::of(exec::ProgramOp program) {
  std::optional<WholeProgram> largest;
  for (auto schedule : program->getParentOfType<ModuleOp>().getOps<exec::ScheduleOp>()) {
    WholeProgram whole(schedule);
    if (llvm::any_of(whole.runs(), [&](const ProgramRun &run) { return run.program == program; }) &&
        (!largest || signatureBytes(whole) > signatureBytes(*largest)))
      largest = whole;
  }
  return largest.value_or(WholeProgram(program));
}

StringRef WholeProgram::name() const {
  return op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
}

std::optional<int64_t> WholeProgram::microBatches() const {
  if (auto schedule = dyn_cast<exec::ScheduleOp>(op))
    return schedule.getMicroBatches();
  return cast<exec::ProgramOp>(op).getMicroBatches();
}

int64_t signatureBytes(const WholeProgram &program) {
  int64_t sum = 0;
  for (ArrayRef<BlockArgument> list : {program.inputs(), program.outputs()})
    for (BlockArgument argument : list)
      sum = addBytes(sum, abi::blockBytes(cast<exec::BufferType>(argument.getType()).getBytes()));
  return sum;
}

} // namespace sheaf::lowering
