// Binds a program's instructions to addresses and runs them, stream by stream.
#include "runtime/core/bound_program.h"

#include "runtime/core/staged_step.h"

#include <chrono>

namespace sheaf::rt {
namespace {

int64_t nowNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

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

Status checkAlignment(std::span<const void *const> pointers, const char *role,
                      const std::vector<SignatureInfo> &signatures) {
  if (pointers.size() != signatures.size())
    return Status::invalid("the program has ", signatures.size(), " ", role, "s but ",
                           pointers.size(), " were given");
  for (size_t i = 0; i < pointers.size(); ++i)
    if (!pointers[i] || reinterpret_cast<uintptr_t>(pointers[i]) % memoryAlignment != 0)
      return Status::invalid("the memory of ", role, " \"", signatures[i].name,
                             "\" is not aligned to ", memoryAlignment, " bytes");
  return {};
}

} // namespace

Result<std::unique_ptr<BoundProgram>> BoundProgram::bind(const ProgramInfo &program, Device &device,
                                                         const Variables &variables, Place &place,
                                                         MemoryAccount &account, uint64_t seed,
                                                         const BoundProgram *lender) {
  std::unique_ptr<BoundProgram> bound(new BoundProgram(program, device));
  // Libraries plan for the threads they will have.
  device.enterStream(program.table->num_streams());
  if (Status status = bound->allocateArenas(account, lender); !status.isOk())
    return status;
  for (size_t i = 0; i < program.numInstructions(); ++i)
    if (Status status = bound->bindInstruction(i, variables, place, account, seed); !status.isOk())
      return annotate(std::move(status), i, program.instruction(i));
  // Only now does the table of addresses stay where it is.
  size_t slot = 0;
  for (size_t i = 0; i < bound->instructions.size(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    bound->instructions[i].buffers = bound->addresses.data() + slot;
    slot += toSpan(instruction.ins()).size() + toSpan(instruction.outs()).size();
  }
  if (Status status = bound->allocateScratch(); !status.isOk())
    return status;
  uint32_t numStreams = program.table->num_streams();
  bound->streamStatus.resize(numStreams);
  BoundProgram *self = bound.get();
  bound->team = std::make_unique<StreamTeam>(
      numStreams, [self, numStreams] { self->device.enterStream(numStreams); },
      [self](uint32_t stream) { self->runStream(stream); });
  return bound;
}

Status BoundProgram::allocateArenas(MemoryAccount &account, const BoundProgram *lender) {
  for (abi::Space space : {abi::Space::device, abi::Space::host}) {
    auto bytes = static_cast<size_t>(program.arenaBytes(space));
    if (lender && lender->arenas[arenas.size()]->bytes() >= bytes) {
      arenas.push_back(lender->arenas[arenas.size()]);
      continue;
    }
    Result<Memory> arena = bytes > 0 ? device.allocate(space, bytes, &account) : Memory();
    if (!arena.isOk())
      return arena.takeStatus().annotated("arena of memory space ", abi::EnumNameSpace(space));
    arenas.push_back(std::make_shared<Memory>(std::move(*arena)));
    allocatedBytes += program.arenaBytes(space);
  }
  return {};
}

Status BoundProgram::allocateScratch() {
  std::vector<size_t> bytes(program.table->num_streams(), 0);
  for (const BoundInstruction &instruction : instructions)
    bytes[instruction.stream] =
        std::max(bytes[instruction.stream], instruction.step->scratchBytes());
  for (size_t need : bytes) {
    Result<Memory> memory =
        need > 0 ? device.allocate(abi::Space::device, need, /*account=*/nullptr) : Memory();
    if (!memory.isOk())
      return memory.takeStatus().annotated("scratch memory of library calls");
    scratch.push_back(std::move(*memory));
  }
  return {};
}

void BoundProgram::addBuffer(uint32_t buffer, const Variables &variables) {
  const BufferInfo &info = program.buffers[buffer];
  Patch patch{static_cast<uint32_t>(addresses.size()), info.index, info.offset};
  std::byte *base = nullptr;
  switch (info.storage) {
  case abi::Storage::arena:
    base = arenas[info.index]->data();
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

Status BoundProgram::bindInstruction(size_t index, const Variables &variables, Place &place,
                                     MemoryAccount &account, uint64_t seed) {
  const abi::Instruction &table = program.instruction(index);
  BoundInstruction bound;
  bound.stream = table.stream();
  bound.waits = toSpan(table.waits());
  bound.records = toSpan(table.records());
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
      return device.bindKernel(
          KernelSite{table.name()->str(), table.units(), table.grain(), table.unit_bytes()});
    CallSite site{table.name()->string_view(),
                  locationOf(table),
                  operands(toSpan(table.ins())),
                  operands(toSpan(table.outs())),
                  Params(table.params()),
                  device.numThreads(program.table->num_streams()),
                  seed,
                  &place,
                  bound.stream};
    return device.bindCall(site);
  };
  Result<std::unique_ptr<Step>> step = bindStep();
  if (!step.isOk())
    return step.takeStatus();
  bound.step = staged.empty() ? std::move(*step)
                              : stageOperands(std::move(*step), numOperands, std::move(staged),
                                              device, account);
  instructions.push_back(std::move(bound));
  return {};
}

Status BoundProgram::setAddresses(std::span<const void *const> inputs,
                                  std::span<void *const> outputs) {
  if (Status status = checkAlignment(inputs, "input", program.inputs); !status.isOk())
    return status;
  if (Status status = checkAlignment({outputs.data(), outputs.size()}, "output", program.outputs);
      !status.isOk())
    return status;
  // Inputs are never written: the reader refuses an instruction that would.
  for (const Patch &patch : inputPatches)
    addresses[patch.slot] =
        const_cast<std::byte *>(static_cast<const std::byte *>(inputs[patch.index])) + patch.offset;
  for (const Patch &patch : outputPatches)
    addresses[patch.slot] = static_cast<std::byte *>(outputs[patch.index]) + patch.offset;
  return {};
}

Status BoundProgram::run(std::span<const void *const> inputs, std::span<void *const> outputs,
                         const RunObserver &observer) {
  if (Status status = setAddresses(inputs, outputs); !status.isOk())
    return status;
  ++runNumber;
  hasFailed = false;
  this->observer = &observer;
  if (observer.timings)
    observer.timings->assign(instructions.size(), {});
  device.enterStream(program.table->num_streams());
  team->runAll();
  for (Status &status : streamStatus)
    if (!status.isOk())
      return std::exchange(status, Status());
  return {};
}

void BoundProgram::runStream(uint32_t stream) {
  for (size_t i = 0; i < instructions.size(); ++i) {
    const BoundInstruction &instruction = instructions[i];
    if (instruction.stream != stream)
      continue;
    for (uint32_t event : instruction.waits)
      events[event].wait(runNumber);
    // After a failure nothing runs any more, but events are still set: no stream may wait for ever.
    if (!hasFailed.load(std::memory_order_relaxed)) {
      if (Status status = runInstruction(i, stream); !status.isOk()) {
        streamStatus[stream] = annotate(std::move(status), i, program.instruction(i));
        hasFailed = true;
      }
    }
    for (uint32_t event : instruction.records)
      events[event].record(runNumber);
  }
}

Status BoundProgram::runInstruction(size_t index, uint32_t stream) {
  BoundInstruction &instruction = instructions[index];
  std::byte *memory = scratch[stream].data();
  if (observer->onStep && stream == 0)
    observer->onStep(index, instructions.size());
  if (!observer->timings)
    return instruction.step->run(instruction.buffers, memory);
  Timing &timing = (*observer->timings)[index];
  timing.startNs = nowNs();
  Status status = instruction.step->run(instruction.buffers, memory);
  timing.endNs = nowNs();
  return status;
}

int64_t BoundProgram::scratchBytes() const {
  int64_t bytes = 0;
  for (const Memory &memory : scratch)
    bytes += static_cast<int64_t>(memory.bytes());
  return bytes;
}

} // namespace sheaf::rt
