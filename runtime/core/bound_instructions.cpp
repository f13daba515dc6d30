// Binds instructions to addresses and runs them, stream by stream.
#include "runtime/core/bound_instructions.h"

#include "runtime/core/staged_step.h"

namespace sheaf::rt {
namespace {

std::span<const uint32_t> toSpan(const flatbuffers::Vector<uint32_t> *list) {
  if (!list)
    return {};
  return {list->data(), list->size()};
}

std::string_view locationOf(const abi::Instruction &instruction) {
  return instruction.location() ? instruction.location()->string_view() : std::string_view();
}

/// Says which instruction a failure belongs to, and which node of the user's.
Status annotate(Status status, size_t index, const abi::Instruction &instruction) {
  if (status.isOk())
    return status;
  std::string_view location = locationOf(instruction);
  if (!location.empty())
    status = std::move(status).annotated("node \"", location, "\"");
  return std::move(status).annotated("step ", index, " (", instruction.name()->string_view(), ")");
}

} // namespace

Result<std::unique_ptr<BoundInstructions>> BoundInstructions::bind(const ProgramInfo &program,
                                                                   const BindContext &context,
                                                                   const ArenaBases &arenas) {
  std::unique_ptr<BoundInstructions> bound(new BoundInstructions(program, context.device, arenas));
  // Libraries plan for the threads they will have.
  context.device.enterStream(program.table->num_streams());
  for (size_t i = 0; i < program.numInstructions(); ++i)
    if (Status status = bound->bindInstruction(i, context); !status.isOk())
      return annotate(std::move(status), i, program.instruction(i));
  return bound;
}

std::vector<size_t> BoundInstructions::scratchBytes() const {
  std::vector<size_t> bytes(program.table->num_streams(), 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    size_t &most = bytes[program.instruction(i).stream()];
    most = std::max(most, steps[i]->scratchBytes());
  }
  return bytes;
}

Status BoundInstructions::finish(std::span<const Memory> scratch) {
  Schedule schedule{.steps = {},
                    .numStreams = program.table->num_streams(),
                    .numEvents = program.table->num_events()};
  size_t slot = 0; // Only now does the table of addresses stay where it is.
  for (size_t i = 0; i < steps.size(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    uint32_t stream = instruction.stream();
    schedule.steps.push_back({steps[i].get(), addresses.data() + slot, scratch[stream].data(),
                              stream, toSpan(instruction.waits()), toSpan(instruction.records())});
    slot += toSpan(instruction.ins()).size() + toSpan(instruction.outs()).size();
  }
  Result<std::unique_ptr<Runner>> made = device.makeRunner(std::move(schedule));
  if (!made.isOk())
    return made.takeStatus();
  runner = std::move(*made);
  return {};
}

void BoundInstructions::addBuffer(uint32_t buffer, const Variables &variables) {
  const BufferInfo &info = program.buffers[buffer];
  Patch patch{static_cast<uint32_t>(addresses.size()), info.index, info.offset};
  std::byte *base = nullptr;
  switch (info.storage) {
  case abi::Storage::arena:
    base = arenas[info.index];
    break;
  case abi::Storage::variable:
    base = variables.data(info.index);
    break;
  case abi::Storage::input:
    inputPatches.push_back(patch);
    break;
  case abi::Storage::output:
    outputPatches.push_back(patch);
    break;
  }
  addresses.push_back(base ? base + info.offset : nullptr);
}

Status BoundInstructions::bindInstruction(size_t index, const BindContext &context) {
  const Variables &variables = context.variables;
  const abi::Instruction &table = program.instruction(index);
  size_t numOperands = 0;
  std::vector<StagedOperand> staged;
  for (auto list : {toSpan(table.ins()), toSpan(table.outs())})
    for (uint32_t buffer : list) {
      addBuffer(buffer, variables);
      const BufferInfo &info = program.buffers[buffer];
      if (info.storage == abi::Storage::variable && variables.staged(info.index))
        staged.push_back({numOperands, variables.staged(info.index), info.offset});
      ++numOperands;
    }

  auto operands = [&](std::span<const uint32_t> list) {
    std::vector<Operand> result;
    for (uint32_t buffer : list) {
      Operand &operand = result.emplace_back(Operand{program.buffers[buffer]});
      if (operand.storage == abi::Storage::variable) {
        operand.packed = variables.packedLayout(operand.index);
        operand.packedBytes = variables.packedBytes(operand.index);
      }
    }
    return result;
  };
  auto bindStep = [&] {
    if (table.kind() == abi::InstructionKind::kernel)
      return device.bindKernel(KernelSite{
          table.name()->str(), numOperands, table.stream(), table.units(), table.grain(),
          table.unit_bytes(), table.grid(), table.block_threads(), table.shared_bytes()});
    CallSite site{table.name()->string_view(),
                  locationOf(table),
                  operands(toSpan(table.ins())),
                  operands(toSpan(table.outs())),
                  Params(table.params()),
                  device.numThreads(program.table->num_streams()),
                  context.seed,
                  &context.place,
                  table.stream()};
    return device.bindCall(site);
  };
  Result<std::unique_ptr<Step>> step = bindStep();
  if (!step.isOk())
    return step.takeStatus();
  steps.push_back(staged.empty() ? std::move(*step)
                                 : stageOperands(std::move(*step), numOperands, std::move(staged),
                                                 device, context.account));
  return {};
}

void BoundInstructions::setAddresses(std::span<const void *const> inputs,
                                     std::span<void *const> outputs) {
  for (const Patch &patch : inputPatches)
    setAddress(patch, static_cast<const std::byte *>(inputs[patch.index]));
  for (const Patch &patch : outputPatches)
    setAddress(patch, static_cast<const std::byte *>(outputs[patch.index]));
}

void BoundInstructions::setAddress(const Patch &patch, const std::byte *base) {
  // Inputs are never written: the reader refuses an instruction that would.
  void *address = const_cast<std::byte *>(base) + patch.offset;
  haveMoved |= addresses[patch.slot] != address;
  addresses[patch.slot] = address;
}

Status BoundInstructions::describe(RunEnd end) const {
  if (end.step)
    return annotate(std::move(end.status), *end.step, program.instruction(*end.step));
  return std::move(end.status);
}

Status BoundInstructions::run(const RunObserver &observer) {
  if (observer.timings)
    observer.timings->assign(steps.size(), {});
  return describe(runner->run(observer, std::exchange(haveMoved, false)));
}

Status BoundInstructions::finishRuns() { return describe(runner->finishRuns()); }

} // namespace sheaf::rt
