// Checks a program of an executable: signature, arenas, buffers.
#include "runtime/core/check_executable.h"

#include "runtime/core/checked.h"
#include "runtime/core/utf8.h"

#include <set>

namespace sheaf::rt {
namespace {

constexpr uint64_t maxArenaBytes = uint64_t(1) << 60;
constexpr uint32_t noBlock = UINT32_MAX;

using SignatureTables = flatbuffers::Vector<flatbuffers::Offset<abi::Signature>>;

Result<std::vector<SignatureInfo>> checkSignatures(const SignatureTables *tables, const Mesh &mesh,
                                                   const char *role) {
  std::vector<SignatureInfo> signatures;
  if (!tables)
    return signatures;
  std::set<std::string_view> names;
  for (const abi::Signature *table : *tables) {
    SignatureInfo signature;
    signature.name = table->name()->string_view();
    if (!isUtf8(signature.name))
      return Status::invalid("the name of ", role, " ", signatures.size(), " is not UTF-8");
    if (!names.insert(signature.name).second)
      return Status::invalid("there are two ", role, "s \"", signature.name, "\"");
    Result<BufferShape> shape = decodeType(*table->type());
    if (!shape.isOk())
      return shape.takeStatus().annotated(role, " \"", signature.name, "\"");
    signature.shape = std::move(*shape);
    signature.bytes = signature.shape.elements() * signature.shape.elementBytes();
    Result<Sharding> sharding =
        checkSharding(table->global_dims(), table->cuts(), signature.shape, mesh);
    if (!sharding.isOk())
      return sharding.takeStatus().annotated(role, " \"", signature.name, "\"");
    signature.sharding = std::move(*sharding);
    if (table->has_padding())
      signature.padding = table->padding();
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// Finds the variables that hold the defaults of inputs.
Status checkDefaults(const abi::Program &table, ProgramInfo &program, const Mesh &mesh,
                     const std::vector<VariableInfo> &variables) {
  for (size_t i = 0; i < program.outputs.size(); ++i)
    if (table.outputs()->Get(static_cast<flatbuffers::uoffset_t>(i))->default_variable() !=
        UINT32_MAX)
      return Status::invalid("output \"", program.outputs[i].name, "\" has a default");
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    SignatureInfo &input = program.inputs[i];
    uint32_t index =
        table.inputs()->Get(static_cast<flatbuffers::uoffset_t>(i))->default_variable();
    if (index == UINT32_MAX)
      continue;
    if (index >= variables.size())
      return Status::invalid("the default of input \"", input.name, "\" is variable ", index,
                             " of ", variables.size());
    const VariableInfo &variable = variables[index];
    if (variable.isPacked || variable.isCarried() || variable.table->is_prepare_only() ||
        variable.shape.type != input.shape.type || variable.sharding != input.sharding)
      return Status::invalid(
          "the default of input \"", input.name, "\" of type ", abi::nameOf(input.shape.type),
          input.sharding.str(mesh), " can't be variable \"", variable.table->name()->string_view(),
          "\" of type ", abi::nameOf(variable.shape.type), variable.sharding.str(mesh));
    input.defaultVariable = index;
  }
  return {};
}

/// Inputs of a program that is fed samples count micro-batches, then samples.
Status checkMicroBatches(const ProgramInfo &program) {
  int64_t count = program.microBatches();
  if (count < 0)
    return Status::invalid("it has ", count, " micro-batches");
  for (const SignatureInfo &input : program.inputs)
    if (count > 0 && (input.shape.rank() < 2 || input.sharding.globalDims[0] != count ||
                      input.shape.dims[0] != count ||
                      input.sharding.globalDims[1] != program.inputs[0].sharding.globalDims[1]))
      return Status::invalid("input \"", input.name, "\" of shape ",
                             dimsText(input.sharding.globalDims), " does not begin with the ",
                             count,
                             " micro-batches of the program and the samples of its first input");
  return {};
}

Status checkArenas(const abi::Program &program) {
  const auto *arenas = program.arena_bytes();
  if (!arenas)
    return {};
  if (!isAligned(arenas))
    return Status::invalid("the sizes of its arenas are not aligned");
  for (flatbuffers::uoffset_t space = 0; space < arenas->size(); ++space) {
    if (arenas->Get(space) == 0)
      continue;
    if (space > static_cast<flatbuffers::uoffset_t>(abi::Space::host))
      return Status::invalid("it has an arena in memory space ", space,
                             ", which this runtime can't provide");
    if (arenas->Get(space) > maxArenaBytes)
      return Status::invalid("its arena of memory space ", space, " has ", arenas->Get(space),
                             " bytes");
  }
  return {};
}

/// The size of the memory that a buffer views, and what that memory is called; none when there is no such memory.
struct Home {
  int64_t bytes;
  std::string name;
};

std::optional<Home> homeOf(const BufferInfo &buffer, const ProgramInfo &program,
                           const std::vector<VariableInfo> &variables) {
  size_t index = buffer.index;
  switch (buffer.storage) {
  case abi::Storage::arena:
    if (index > static_cast<size_t>(abi::Space::host))
      return std::nullopt;
    return Home{program.arenaBytes(static_cast<abi::Space>(index)),
                "arena " + std::to_string(index)};
  case abi::Storage::variable:
    if (index >= variables.size())
      return std::nullopt;
    return Home{variables[index].bytes,
                "variable \"" + variables[index].table->name()->str() + "\""};
  case abi::Storage::input:
    if (index >= program.inputs.size())
      return std::nullopt;
    return Home{program.inputs[index].bytes,
                "input \"" + std::string(program.inputs[index].name) + "\""};
  case abi::Storage::output:
    if (index >= program.outputs.size())
      return std::nullopt;
    return Home{program.outputs[index].bytes,
                "output \"" + std::string(program.outputs[index].name) + "\""};
  }
  return std::nullopt;
}

/// A packed variable is opaque: whole, and never strided.
Status checkPackedView(const abi::Buffer &table, const BufferInfo &buffer,
                       const VariableInfo &variable) {
  if (buffer.offset != 0 || table.strides() || buffer.shape.dims != variable.shape.dims ||
      buffer.shape.type != variable.shape.type)
    return Status::invalid("it must view all of packed variable \"",
                           variable.table->name()->string_view(),
                           "\", with its type and without strides");
  return {};
}

Result<BufferInfo> checkBuffer(const abi::Buffer &table, const ProgramInfo &program,
                               const std::vector<VariableInfo> &variables) {
  Result<BufferShape> shape = decodeType(*table.type());
  if (!shape.isOk())
    return shape.takeStatus();
  BufferInfo buffer{std::move(*shape), table.storage(), table.index(), 0};
  std::optional<Home> home = homeOf(buffer, program, variables);
  if (!home)
    return Status::invalid("it views memory ", buffer.index, " of storage kind ",
                           static_cast<int>(buffer.storage), ", which does not exist");
  if (table.offset() > static_cast<uint64_t>(home->bytes))
    return Status::invalid("its offset ", table.offset(), " is past the ", home->bytes,
                           " bytes of ", home->name);
  buffer.offset = static_cast<int64_t>(table.offset());
  if (buffer.offset % buffer.shape.elementBytes() != 0)
    return Status::invalid("its offset ", buffer.offset, " is not a multiple of its element size");

  bool isPacked = buffer.storage == abi::Storage::variable && variables[buffer.index].isPacked;
  if (isPacked) {
    if (Status status = checkPackedView(table, buffer, variables[buffer.index]); !status.isOk())
      return status;
    return buffer;
  }
  if (!isAligned(table.strides()))
    return Status::invalid("its strides are not aligned");
  if (table.strides() && table.strides()->size() > 0) {
    if (table.strides()->size() != buffer.shape.rank())
      return Status::invalid("it has ", table.strides()->size(), " strides for ",
                             buffer.shape.str());
    buffer.shape.strides.assign(table.strides()->begin(), table.strides()->end());
  }
  if (buffer.storage == abi::Storage::arena && table.block() == noBlock)
    return Status::invalid("it views an arena and does not say which block of it");
  std::optional<ByteExtent> extent = byteExtent(buffer.shape);
  if (!extent)
    return Status::invalid("the strides of ", buffer.shape.str(), " make no sense");
  // Compared this way round, nothing can overflow: offset <= home->bytes <= 2^60.
  if (extent->begin < -buffer.offset || extent->end > home->bytes - buffer.offset)
    return Status::invalid(buffer.shape.str(), " at offset ", buffer.offset, " reaches from byte ",
                           extent->begin, " to ", extent->end, " of it, which is not within the ",
                           home->bytes, " bytes of ", home->name);
  return buffer;
}

} // namespace

Result<ProgramInfo> checkProgram(const abi::Program &table, const Mesh &mesh,
                                 const std::vector<VariableInfo> &variables) {
  ProgramInfo program;
  program.table = &table;
  program.name = table.name()->string_view();
  Result<std::vector<SignatureInfo>> inputs = checkSignatures(table.inputs(), mesh, "input");
  if (!inputs.isOk())
    return inputs.takeStatus();
  Result<std::vector<SignatureInfo>> outputs = checkSignatures(table.outputs(), mesh, "output");
  if (!outputs.isOk())
    return outputs.takeStatus();
  program.inputs = std::move(*inputs);
  program.outputs = std::move(*outputs);
  if (program.name == "prepare" && !(program.inputs.empty() && program.outputs.empty()))
    return Status::invalid("it must have neither inputs nor outputs");
  if (program.name == "prepare" && table.num_streams() != 1)
    return Status::invalid("it must have one stream");
  if (Status status = checkMicroBatches(program); !status.isOk())
    return status;
  if (Status status = checkDefaults(table, program, mesh, variables); !status.isOk())
    return status;
  if (Status status = checkArenas(table); !status.isOk())
    return status;

  if (table.buffers()) {
    for (const abi::Buffer *buffer : *table.buffers()) {
      Result<BufferInfo> info = checkBuffer(*buffer, program, variables);
      if (!info.isOk())
        return info.takeStatus().annotated("buffer ", program.buffers.size());
      program.buffers.push_back(std::move(*info));
    }
  }
  for (size_t i = 0; i < program.numInstructions(); ++i)
    if (Status status = checkInstruction(program, i); !status.isOk())
      return std::move(status).annotated("instruction ", i, " (",
                                         program.instruction(i).name()->string_view(), ")");
  if (Status status = checkOrder(program); !status.isOk())
    return status;
  if (Status status = checkRaces(program); !status.isOk())
    return status;
  if (Status status = checkMemoryPlan(program); !status.isOk())
    return status;
  return program;
}

} // namespace sheaf::rt
