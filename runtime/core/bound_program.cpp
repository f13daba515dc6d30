// Binds the parts of a program in one arena, and runs them in their order.
#include "runtime/core/bound_program.h"

#include <algorithm>

namespace sheaf::rt {
namespace {

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

/// Where the values that a part names are among those of the whole, which has them all (check_parts.cpp).
std::vector<size_t> placesOf(const std::vector<SignatureInfo> &part,
                             const std::vector<SignatureInfo> &whole) {
  std::vector<size_t> places;
  for (const SignatureInfo &value : part) {
    auto found = std::find_if(whole.begin(), whole.end(),
                              [&](const SignatureInfo &other) { return other.name == value.name; });
    places.push_back(static_cast<size_t>(found - whole.begin()));
  }
  return places;
}

template <typename Pointer>
std::vector<Pointer> pick(std::span<const Pointer> all, const std::vector<size_t> &places) {
  std::vector<Pointer> picked;
  for (size_t place : places)
    picked.push_back(all[place]);
  return picked;
}

} // namespace

Result<std::unique_ptr<BoundProgram>> BoundProgram::bind(const ProgramInfo &program,
                                                         const BindContext &context,
                                                         const BoundProgram *lender) {
  std::unique_ptr<BoundProgram> bound(new BoundProgram(program, context.device));
  context.device.enterStream(program.table->num_streams());
  if (Status status = bound->allocateArenas(context, lender); !status.isOk())
    return status;
  if (Status status = bound->bindParts(context); !status.isOk())
    return status;
  if (Status status = bound->allocateScratch(); !status.isOk())
    return status;
  for (const BoundPart &part : bound->parts)
    if (Status status = part.instructions->finish(bound->scratch); !status.isOk())
      return status;
  return bound;
}

Status BoundProgram::allocateArenas(const BindContext &context, const BoundProgram *lender) {
  for (abi::Space space : {abi::Space::device, abi::Space::host}) {
    auto bytes = static_cast<size_t>(program.arenaBytes(space));
    if (lender && lender->arenas[arenas.size()]->bytes() >= bytes) {
      arenas.push_back(lender->arenas[arenas.size()]);
      continue;
    }
    Result<Memory> arena =
        bytes > 0 ? context.device.allocate(space, bytes, &context.account) : Memory();
    if (!arena.isOk())
      return arena.takeStatus().annotated("arena of memory space ", abi::EnumNameSpace(space));
    arenas.push_back(std::make_shared<Memory>(std::move(*arena)));
    allocatedBytes += program.arenaBytes(space);
  }
  return {};
}

Result<size_t> BoundProgram::bindPart(const ProgramInfo &part, const BindContext &context) {
  for (size_t i = 0; i < parts.size(); ++i)
    if (&parts[i].instructions->info() == &part)
      return i;
  auto bound =
      BoundInstructions::bind(part, context, ArenaBases{arenas[0]->data(), arenas[1]->data()});
  if (!bound.isOk())
    return bound.takeStatus();
  parts.push_back({std::move(*bound), placesOf(part.inputs, program.inputs),
                   placesOf(part.outputs, program.outputs)});
  return parts.size() - 1;
}

Status BoundProgram::bindParts(const BindContext &context) {
  if (program.parts.empty()) {
    Result<size_t> own = bindPart(program, context);
    order.push_back({0, 1});
    return own.isOk() ? Status() : own.takeStatus();
  }
  for (const PartInfo &part : program.parts) {
    Result<size_t> bound = bindPart(*part.program, context);
    if (!bound.isOk())
      return bound.takeStatus().annotated("part \"", part.program->name, "\"");
    order.push_back({*bound, part.times});
  }
  return {};
}

Status BoundProgram::allocateScratch() {
  std::vector<size_t> bytes;
  for (const BoundPart &part : parts) {
    std::vector<size_t> needs = part.instructions->scratchBytes();
    bytes.resize(std::max(bytes.size(), needs.size()), 0);
    for (size_t stream = 0; stream < needs.size(); ++stream)
      bytes[stream] = std::max(bytes[stream], needs[stream]);
  }
  for (size_t need : bytes) {
    Result<Memory> memory =
        need > 0 ? device.allocate(abi::Space::device, need, /*account=*/nullptr) : Memory();
    if (!memory.isOk())
      return memory.takeStatus().annotated("scratch memory of library calls");
    scratch.push_back(std::move(*memory));
  }
  return {};
}

Status BoundProgram::runPart(BoundInstructions &instructions, const RunObserver &observer,
                             size_t numBefore) {
  std::vector<Timing> timings;
  RunObserver own;
  own.timings = observer.timings ? &timings : nullptr;
  if (observer.onStep)
    own.onStep = [&](size_t index, size_t) {
      observer.onStep(numBefore + index, program.instructionsPerRun());
    };
  Status status = instructions.run(own);
  if (observer.timings)
    observer.timings->insert(observer.timings->end(), timings.begin(), timings.end());
  return status;
}

Status BoundProgram::run(std::span<const void *const> inputs, std::span<void *const> outputs,
                         const RunObserver &observer) {
  if (Status status = checkAlignment(inputs, "input", program.inputs); !status.isOk())
    return status;
  std::span<const void *const> constOutputs(outputs.data(), outputs.size());
  if (Status status = checkAlignment(constOutputs, "output", program.outputs); !status.isOk())
    return status;
  if (observer.timings)
    observer.timings->clear();
  for (const BoundPart &part : parts)
    part.instructions->setAddresses(pick<const void *>(inputs, part.inputs),
                                    pick<void *>(outputs, part.outputs));
  Status status = runParts(observer);
  // Whatever failed, nothing may run on.
  Status drained = device.drain();
  Status finished = finishParts();
  for (Status *outcome : {&status, &drained})
    if (!outcome->isOk())
      return std::move(*outcome);
  return finished;
}

Status BoundProgram::runParts(const RunObserver &observer) {
  size_t numBefore = 0;
  for (const Repeat &repeat : order)
    for (int64_t i = 0; i < repeat.times; ++i) {
      const BoundPart &part = parts[repeat.part];
      if (Status status = runPart(*part.instructions, observer, numBefore); !status.isOk())
        return annotate(std::move(status), part,
                        repeat.times == 1 ? std::string()
                                          : ", run " + std::to_string(i + 1) + " of " +
                                                std::to_string(repeat.times));
      numBefore += part.instructions->info().numInstructions();
    }
  return {};
}

Status BoundProgram::finishParts() {
  Status first;
  for (const BoundPart &part : parts) // All of them: the next run is not to be told of it.
    if (Status status = part.instructions->finishRuns(); first.isOk() && !status.isOk())
      first = annotate(std::move(status), part);
  return first;
}

Status BoundProgram::annotate(Status status, const BoundPart &part, std::string_view which) const {
  if (program.parts.empty())
    return status;
  return std::move(status).annotated("part \"", part.instructions->info().name, "\"", which);
}

int64_t BoundProgram::scratchBytes() const {
  int64_t bytes = 0;
  for (const Memory &memory : scratch)
    bytes += static_cast<int64_t>(memory.bytes());
  return bytes;
}

} // namespace sheaf::rt
