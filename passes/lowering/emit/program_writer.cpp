// Writes the signature, buffers and instructions of a program.
#include "passes/lowering/emit/program_writer.h"

#include "passes/analysis/byte_count.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/stream_order.h"
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/emit/launch_buffers.h"
#include "passes/lowering/emit/name_text.h"
#include "passes/lowering/emit/node_name.h"
#include "passes/lowering/emit/shard_writer.h"
#include "passes/lowering/memory_report.h"
#include "passes/lowering/wire_ledger.h"
#include "runtime/abi/part_limits.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using flatbuffers::Offset;

namespace sheaf::lowering {

Offset<abi::TensorType> writeType(flatbuffers::FlatBufferBuilder &file, exec::BufferType type) {
  auto dims = file.CreateVector(type.getShape().data(), type.getRank());
  return abi::CreateTensorType(file, *abiElementType(type.getElementType()), dims);
}

Offset<abi::Signature> ProgramWriter::writeSignature(BlockArgument argument) {
  auto program = cast<exec::ProgramOp>(argument.getOwner()->getParentOp());
  auto type = cast<exec::BufferType>(argument.getType());
  StringAttr name = signatureName(argument);
  std::optional<ArrayAttr> shards = program.getShards();
  WrittenShard shard = writeShard(file, type,
                                  shards ? cast<exec::ShardAttr>((*shards)[argument.getArgNumber()])
                                         : exec::ShardAttr());
  auto text = file.CreateString(nameText(name));
  bool isInput = argument.getArgNumber() < program.getInputs().size();
  DictionaryAttr defaults = isInput ? program.getDefaultsAttr() : DictionaryAttr();
  DictionaryAttr paddings = isInput ? program.getPaddingsAttr() : DictionaryAttr();
  uint32_t defaultVariable = UINT32_MAX;
  if (auto variable = defaults ? defaults.getAs<FlatSymbolRefAttr>(name) : FlatSymbolRefAttr())
    defaultVariable = variables.lookup(variable.getValue());
  auto padding = paddings ? paddings.getAs<IntegerAttr>(name) : IntegerAttr();
  return abi::CreateSignature(file, text, writeType(file, type), shard.wholeDims, shard.cuts,
                              defaultVariable, bool(padding), padding ? padding.getInt() : 0);
}

ProgramWriter::Signatures ProgramWriter::writeSignatures(ArrayRef<BlockArgument> arguments) {
  std::vector<Offset<abi::Signature>> signatures;
  for (BlockArgument argument : arguments)
    signatures.push_back(writeSignature(argument));
  return file.CreateVector(signatures);
}

Offset<abi::Buffer> ProgramWriter::writeBuffer(exec::ProgramOp program, Value buffer) {
  auto type = cast<exec::BufferType>(buffer.getType());
  Value memory = memoryOf(buffer);
  abi::Storage storage = abi::Storage::arena;
  int64_t index = 0, offset = offsetInMemory(buffer) * type.getElementBytes();
  uint32_t block = UINT32_MAX;
  if (auto declared = memory.getDefiningOp<exec::BufferOp>()) {
    index = static_cast<int64_t>(type.getSpace());
    offset += *declared.getOffset();
    block = blockNumbers.try_emplace(memory, blockNumbers.size()).first->second;
  } else if (auto get = memory.getDefiningOp<exec::GetOp>()) {
    storage = abi::Storage::variable;
    index = variables.lookup(get.getVariable());
  } else {
    int64_t argument = cast<BlockArgument>(memory).getArgNumber();
    int64_t numInputs = program.getInputs().size();
    storage = argument < numInputs ? abi::Storage::input : abi::Storage::output;
    index = argument < numInputs ? argument : argument - numInputs;
  }
  auto tensor = writeType(file, type);
  flatbuffers::Offset<flatbuffers::Vector<int64_t>> strides;
  if (!type.getGivenStrides().empty())
    strides = file.CreateVector(type.getGivenStrides().data(), type.getRank());
  return abi::CreateBuffer(file, tensor, storage, index, offset, strides, block);
}

std::vector<uint32_t> ProgramWriter::indicesOf(ValueRange buffers) {
  std::vector<uint32_t> indices;
  for (Value buffer : buffers) {
    uint32_t next = bufferIndices.size();
    indices.push_back(bufferIndices.insert({buffer, next}).first->second);
  }
  return indices;
}

static Offset<abi::Param> writeParam(flatbuffers::FlatBufferBuilder &file, StringRef name,
                                     Attribute value) {
  SmallVector<int64_t> ints;
  SmallVector<double> floats;
  if (auto array = dyn_cast<DenseI64ArrayAttr>(value))
    ints = llvm::to_vector(array.asArrayRef());
  else if (auto array = dyn_cast<DenseF64ArrayAttr>(value))
    floats = llvm::to_vector(array.asArrayRef());
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    ints = {integer.getType().isInteger(1) ? integer.getValue().getBoolValue()
                                           : integer.getValue().getSExtValue()};
  else if (auto real = dyn_cast<FloatAttr>(value))
    floats = {real.getValueAsDouble()};
  bool isInts = isa<DenseI64ArrayAttr, IntegerAttr>(value);
  auto text = dyn_cast<StringAttr>(value);
  auto key = file.CreateString(name.data(), name.size());
  auto intsOffset =
      isInts ? file.CreateVector(ints.data(), ints.size()) : Offset<flatbuffers::Vector<int64_t>>();
  auto floatsOffset = isInts || text ? Offset<flatbuffers::Vector<double>>()
                                     : file.CreateVector(floats.data(), floats.size());
  auto textOffset =
      text ? file.CreateString(text.data(), text.size()) : Offset<flatbuffers::String>();
  return abi::CreateParam(file, key, intsOffset, floatsOffset, textOffset);
}

static std::vector<uint32_t> events(std::optional<ArrayRef<int64_t>> events) {
  ArrayRef<int64_t> list = events.value_or(ArrayRef<int64_t>());
  return {list.begin(), list.end()};
}

Offset<abi::Instruction> ProgramWriter::writeCall(exec::CallOp call) {
  std::vector<Offset<abi::Param>> params;
  if (DictionaryAttr given = call.getParamsAttr())
    for (NamedAttribute param : given)
      params.push_back(writeParam(file, param.getName(), param.getValue()));
  auto ins = indicesOf(call.getIns()), outs = indicesOf(call.getOuts());
  auto waits = events(call.getWaits()), records = events(call.getRecords());
  return abi::CreateInstruction(
      file, abi::InstructionKind::call, file.CreateString(call.getCallee().str()),
      file.CreateVector(ins), file.CreateVector(outs), file.CreateVector(params), /*units=*/0,
      /*grain=*/1,
      /*unit_bytes=*/0, call.getStream(), file.CreateVector(waits), file.CreateVector(records),
      file.CreateString(nameText(nodeName(call.getLoc()))));
}

FailureOr<Offset<abi::Instruction>> ProgramWriter::writeLaunch(exec::LaunchOp launch) {
  auto kernelOp = symbols.lookup<exec::KernelOp>(launch.getKernel());
  auto cluster = *kernelOp.getBody().getOps<graph::ClusterOp>().begin();
  Kernel kernel = compiler.add(cluster, launchBuffers(launch));
  auto ins = indicesOf(launch.getIns()), outs = indicesOf(launch.getOuts());
  auto waits = events(launch.getWaits()), records = events(launch.getRecords());
  return abi::CreateInstruction(
      file, abi::InstructionKind::kernel, file.CreateString(kernel.symbol), file.CreateVector(ins),
      file.CreateVector(outs), /*params=*/0, kernel.units, kernel.grain, kernel.unitBytes,
      launch.getStream(), file.CreateVector(waits), file.CreateVector(records),
      file.CreateString(nameText(nodeName(launch.getLoc()))), kernel.gridBlocks,
      kernel.blockThreads);
}

/// Values are told apart by their names. Those that are not UTF-8 are escaped; another may be what that gives.
static LogicalResult checkNames(const WholeProgram &program) {
  for (ArrayRef<BlockArgument> arguments : {program.inputs(), program.outputs()}) {
    llvm::StringMap<StringRef> nameOf;
    for (BlockArgument argument : arguments) {
      StringRef name = signatureName(argument);
      std::string text = nameText(name);
      auto [known, isNew] = nameOf.try_emplace(text, name);
      if (!isNew && known->second == name)
        return program.getOperation()->emitError()
               << "two inputs or outputs are named \"" << text << "\"; rename one";
      if (!isNew)
        return program.getOperation()->emitError()
               << "two inputs or outputs are named \"" << text
               << "\" once what is not UTF-8 is escaped; rename one";
    }
  }
  return success();
}

/// A program of micro-batches takes that many of all its inputs.
static LogicalResult checkMicroBatches(const WholeProgram &program) {
  std::optional<int64_t> count = program.microBatches();
  if (!count)
    return success();
  if (*count <= 0)
    return program.getOperation()->emitError()
           << "the number of micro-batches must be positive, found " << *count;
  for (BlockArgument input : program.inputs()) {
    auto type = cast<exec::BufferType>(input.getType());
    if (type.getShape().empty() || type.getShape().front() != *count)
      return program.getOperation()->emitError()
             << "input " << signatureName(input) << " of " << type << " does not begin with the "
             << *count << " micro-batches of the program";
  }
  return success();
}

static LogicalResult checkRuns(const WholeProgram &program) {
  int64_t sum = 0;
  for (ProgramRun run : program.runs())
    sum = addBytes(sum, run.times);
  if (sum > abi::maxPartRuns)
    return program.getOperation()->emitError()
           << "runs its parts " << sum << " times; " << abi::maxPartRuns << " are the limit";
  return success();
}

FailureOr<ProgramWriter::Body> ProgramWriter::writeBody(exec::ProgramOp program) {
  bufferIndices.clear();
  blockNumbers.clear();
  Body body;
  for (Operation &op : program.getBlock()) {
    if (isInstruction(&op)) {
      body.numStreams = std::max<uint32_t>(body.numStreams, streamOf(&op) + 1);
      for (int64_t event : recordsOf(&op))
        body.numEvents = std::max<uint32_t>(body.numEvents, event + 1);
    }
    if (auto call = dyn_cast<exec::CallOp>(op)) {
      body.instructions.push_back(writeCall(call));
    } else if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
      FailureOr<Offset<abi::Instruction>> instruction = writeLaunch(launch);
      if (failed(instruction))
        return failure();
      body.instructions.push_back(*instruction);
    }
  }
  for (auto [buffer, index] : bufferIndices)
    body.buffers.push_back(writeBuffer(program, buffer));
  return body;
}

FailureOr<Offset<abi::Program>> ProgramWriter::write(const WholeProgram &program,
                                                     ArrayRef<abi::Part> parts) {
  if (failed(checkNames(program)) || failed(checkMicroBatches(program)) ||
      failed(checkRuns(program)))
    return failure();
  auto inputs = writeSignatures(program.inputs()), outputs = writeSignatures(program.outputs());
  Body body;
  if (auto own = dyn_cast<exec::ProgramOp>(program.getOperation())) {
    FailureOr<Body> written = writeBody(own);
    if (failed(written))
      return failure();
    body = std::move(*written);
  }
  std::vector<Offset<abi::WireLine>> wire;
  for (const WireLine &line : wireLedger(program))
    wire.push_back(abi::CreateWireLine(file, file.CreateString(line.collective),
                                       file.CreateString(line.axes), line.calls,
                                       line.traffic.payloadBytes, line.traffic.ringBytes));
  Offset<flatbuffers::Vector<const abi::Part *>> partList;
  if (!parts.empty())
    partList = file.CreateVectorOfStructs(parts.data(), parts.size());
  SmallVector<int64_t> arenas = arenasOf(program);
  std::vector<uint64_t> arenaBytes(arenas.begin(), arenas.end());
  return abi::CreateProgram(file, file.CreateString(program.name().str()), inputs, outputs,
                            file.CreateVector(body.buffers), file.CreateVector(body.instructions),
                            file.CreateVector(arenaBytes), body.numStreams, body.numEvents,
                            plannedBytes(program), file.CreateVector(wire),
                            program.microBatches().value_or(0), partList);
}

FailureOr<std::vector<Offset<abi::Program>>> ProgramWriter::write(ModuleOp module) {
  std::vector<WholeProgram> all = WholeProgram::all(module);
  llvm::MapVector<Operation *, uint32_t> partIndices; // Behind what users run.
  for (const WholeProgram &program : all)
    if (isa<exec::ScheduleOp>(program.getOperation()))
      for (ProgramRun run : program.runs())
        partIndices.insert({run.program, all.size() + partIndices.size()});
  std::vector<Offset<abi::Program>> programs;
  auto add = [&](const WholeProgram &program, ArrayRef<abi::Part> parts) -> LogicalResult {
    FailureOr<Offset<abi::Program>> written = write(program, parts);
    if (succeeded(written))
      programs.push_back(*written);
    return written;
  };
  for (const WholeProgram &program : all) {
    SmallVector<abi::Part> parts;
    if (isa<exec::ScheduleOp>(program.getOperation()))
      for (ProgramRun run : program.runs())
        parts.push_back(
            abi::Part(partIndices.lookup(run.program), static_cast<uint32_t>(run.times)));
    if (failed(add(program, parts)))
      return failure();
  }
  for (auto [part, index] : partIndices)
    if (failed(add(cast<exec::ProgramOp>(part), {})))
      return failure();
  return programs;
}

} // namespace sheaf::lowering
