// Checks programs that run others as their parts, and what these carry from one to the next.
#include "runtime/core/check_executable.h"

#include "runtime/abi/part_limits.h"

#include <algorithm>
#include <map>
#include <set>

namespace sheaf::rt {
namespace {

using SignatureMap = std::map<std::string_view, const SignatureInfo *>;

SignatureMap byName(const std::vector<SignatureInfo> &signatures) {
  SignatureMap map;
  for (const SignatureInfo &signature : signatures)
    map[signature.name] = &signature;
  return map;
}

/// The values of a part are values of the whole, of its types and cut as there.
Status checkValues(const std::vector<SignatureInfo> &ofPart, const SignatureMap &ofWhole,
                   const char *role) {
  for (const SignatureInfo &value : ofPart) {
    auto found = ofWhole.find(value.name);
    if (found == ofWhole.end())
      return Status::invalid("it has ", role, " \"", value.name, "\", which the whole has not");
    if (value.shape.type != found->second->shape.type ||
        value.shape.dims != found->second->shape.dims || value.sharding != found->second->sharding)
      return Status::invalid("its ", role, " \"", value.name, "\" is of type ", value.shape.str(),
                             ", that of the whole of ", found->second->shape.str(),
                             ", or it is cut in another way");
  }
  return {};
}

Status checkPart(const ProgramInfo &part, const ProgramInfo &whole, const SignatureMap &inputs,
                 const SignatureMap &outputs) {
  if (part.name == "prepare" || (part.table->parts() && part.table->parts()->size() > 0))
    return Status::invalid("it can't be a part: it runs by itself, or has parts");
  if (part.microBatches() != 0)
    return Status::invalid("it has micro-batches; only the whole is fed samples");
  for (abi::Space space : {abi::Space::device, abi::Space::host})
    if (part.arenaBytes(space) > whole.arenaBytes(space))
      return Status::invalid("its arena of ", part.arenaBytes(space),
                             " bytes is larger than that of the whole, ", whole.arenaBytes(space));
  if (Status status = checkValues(part.inputs, inputs, "input"); !status.isOk())
    return status;
  return checkValues(part.outputs, outputs, "output");
}

/// The distinct programs that `whole` runs, in the order in which they run first.
std::vector<const ProgramInfo *> distinctParts(const ProgramInfo &whole) {
  std::vector<const ProgramInfo *> distinct;
  std::set<const ProgramInfo *> known;
  for (const PartInfo &part : whole.parts)
    if (known.insert(part.program).second)
      distinct.push_back(part.program);
  return distinct;
}

/// Every output is given by one program.
Status checkOutputs(const ProgramInfo &whole) {
  std::set<std::string_view> given;
  for (const ProgramInfo *part : distinctParts(whole))
    for (const SignatureInfo &output : part->outputs)
      if (!given.insert(output.name).second)
        return Status::invalid("two of its parts give output \"", output.name, "\"");
  for (const SignatureInfo &output : whole.outputs)
    if (!given.contains(output.name))
      return Status::invalid("none of its parts gives output \"", output.name, "\"");
  return {};
}

Status checkWhole(std::vector<ProgramInfo> &programs, ProgramInfo &whole) {
  if (whole.name == "prepare" || whole.numInstructions() > 0 || !whole.buffers.empty())
    return Status::invalid(
        "it has parts; it can't be \"prepare\", or have instructions and buffers "
        "as well");
  int64_t numRuns = 0;
  for (const abi::Part *part : *whole.table->parts()) {
    if (part->program() >= programs.size())
      return Status::invalid("part ", whole.parts.size(), " is program ", part->program(), " of ",
                             programs.size());
    numRuns += part->times();
    if (part->times() < 1 || numRuns > abi::maxPartRuns)
      return Status::invalid("part ", whole.parts.size(), " runs ", part->times(),
                             " times; all together can run from once to ", abi::maxPartRuns,
                             " times");
    whole.parts.push_back({&programs[part->program()], part->times()});
    programs[part->program()].isPart = true;
  }
  SignatureMap inputs = byName(whole.inputs), outputs = byName(whole.outputs);
  for (const ProgramInfo *part : distinctParts(whole))
    if (Status status = checkPart(*part, whole, inputs, outputs); !status.isOk())
      return std::move(status).annotated("part \"", part->name, "\"");
  return checkOutputs(whole);
}

/// Calls `use(variable, isWrite)`, which returns a Status, for the carried variables that instructions touch, in order.
template <typename Use>
Status forEachCarried(const ProgramInfo &program, const std::vector<VariableInfo> &variables,
                      const Use &use) {
  for (size_t i = 0; i < program.numInstructions(); ++i)
    for (bool isWrite : {false, true}) {
      const auto *list = isWrite ? program.instruction(i).outs() : program.instruction(i).ins();
      for (flatbuffers::uoffset_t k = 0; list && k < list->size(); ++k) {
        const BufferInfo &buffer = program.buffers[list->Get(k)];
        if (buffer.storage == abi::Storage::variable && variables[buffer.index].isCarried())
          if (Status status = use(buffer.index, isWrite); !status.isOk())
            return status;
      }
    }
  return {};
}

} // namespace

Status checkParts(std::vector<ProgramInfo> &programs) {
  for (ProgramInfo &program : programs)
    if (program.table->parts() && program.table->parts()->size() > 0)
      if (Status status = checkWhole(programs, program); !status.isOk())
        return std::move(status).annotated("program \"", program.name, "\"");
  return {};
}

Status checkCarried(const std::vector<ProgramInfo> &programs,
                    const std::vector<VariableInfo> &variables) {
  for (const ProgramInfo &program : programs) {
    if (program.isPart)
      continue;
    std::set<uint32_t> written;
    std::vector<const ProgramInfo *> parts =
        program.parts.empty() ? std::vector{&program} : distinctParts(program);
    for (const ProgramInfo *part : parts) {
      Status status = forEachCarried(*part, variables, [&](uint32_t index, bool isWrite) -> Status {
        std::string_view name = variables[index].name();
        if (program.parts.empty())
          return Status::invalid("it uses variable \"", name,
                                 "\", which is carried between parts of programs");
        if (isWrite)
          written.insert(index);
        else if (!written.contains(index))
          return Status::invalid("part \"", part->name, "\" reads variable \"", name,
                                 "\", which no part has written before");
        return {};
      });
      if (!status.isOk())
        return std::move(status).annotated("program \"", program.name, "\"");
    }
  }
  return {};
}

} // namespace sheaf::rt
