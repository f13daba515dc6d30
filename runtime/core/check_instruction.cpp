// Checks single instructions of a program.
#include "runtime/core/check_executable.h"

#include <set>

namespace sheaf::rt {
namespace {

Status checkParams(const abi::Instruction &instruction) {
  if (!instruction.params())
    return {};
  std::set<std::string_view> names;
  for (const abi::Param *param : *instruction.params()) {
    std::string_view name = param->name()->string_view();
    if (!names.insert(name).second)
      return Status::invalid("parameter \"", name, "\" is given twice");
    if (!!param->ints() + !!param->floats() + !!param->text() != 1)
      return Status::invalid("parameter \"", name, "\" must have one of ints, floats and text");
    if (!isAligned(param->ints()) || !isAligned(param->floats()))
      return Status::invalid("the numbers of parameter \"", name, "\" are not aligned");
  }
  return {};
}

/// True when both views are the same bytes in the same order, so that an instruction may work in place.
bool isSameView(const BufferInfo &a, const BufferInfo &b) {
  if (a.offset != b.offset ||
      a.shape.elements() * a.shape.elementBytes() != b.shape.elements() * b.shape.elementBytes())
    return false;
  return (a.shape.isRowMajor() && b.shape.isRowMajor()) ||
         (a.shape.dims == b.shape.dims && a.shape.strides == b.shape.strides &&
          a.shape.elementBytes() == b.shape.elementBytes());
}

bool isSameHome(const BufferInfo &a, const BufferInfo &b) {
  return a.storage == b.storage && a.index == b.index;
}

/// An out may share bytes with an in only as the same view, and with another out not at all.
Status checkOverlap(const ProgramInfo &program, const abi::Instruction &instruction) {
  size_t numIns = instruction.ins() ? instruction.ins()->size() : 0;
  for (flatbuffers::uoffset_t i = 0; i < instruction.outs()->size(); ++i) {
    const BufferInfo &out = program.buffers[instruction.outs()->Get(i)];
    auto isClash = [&](const BufferInfo &other) {
      return isSameHome(out, other) &&
             !areDisjoint(out.shape, out.offset, other.shape, other.offset);
    };
    for (flatbuffers::uoffset_t j = 0; j < numIns; ++j)
      if (const BufferInfo &in = program.buffers[instruction.ins()->Get(j)];
          isClash(in) && !isSameView(in, out))
        return Status::invalid("out ", i, " ", out.shape.str(), " overlaps in ", j, " ",
                               in.shape.str(), " and is not the same view");
    for (flatbuffers::uoffset_t j = 0; j < i; ++j)
      if (isClash(program.buffers[instruction.outs()->Get(j)]))
        return Status::invalid("outs ", j, " and ", i, " overlap");
  }
  return {};
}

} // namespace

Status checkInstruction(const ProgramInfo &program, size_t index) {
  const abi::Instruction &instruction = program.instruction(index);
  if (instruction.kind() > abi::InstructionKind::MAX)
    return Status::invalid("unknown kind ", static_cast<int>(instruction.kind()));
  for (const auto *list : {instruction.ins(), instruction.outs()})
    if (list)
      for (uint32_t buffer : *list)
        if (buffer >= program.buffers.size())
          return Status::invalid("it names buffer ", buffer, " of ", program.buffers.size());
  if (Status status = checkParams(instruction); !status.isOk())
    return status;
  if (instruction.units() < 0 || instruction.grain() < 1 || instruction.unit_bytes() < 0)
    return Status::invalid("units ", instruction.units(), ", grain ", instruction.grain(),
                           " and unit_bytes ", instruction.unit_bytes(),
                           " must not be negative, nor grain 0");
  if (!instruction.outs())
    return {};
  for (uint32_t buffer : *instruction.outs()) {
    const BufferInfo &out = program.buffers[buffer];
    if (out.storage == abi::Storage::input)
      return Status::invalid("it writes input \"", program.inputs[out.index].name, "\"");
    if (!hasDistinctElements(out.shape))
      return Status::invalid("it writes ", out.shape.str(), " whose elements overlap");
  }
  return checkOverlap(program, instruction);
}

} // namespace sheaf::rt
