// Writes the signature, buffers and instructions of a program.
#include "passes/lowering/emit/program_writer.h"

#include "passes/analysis/liveness.h"
#include "passes/analysis/stream_order.h"
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/emit/launch_buffers.h"
#include "passes/lowering/emit/name_text.h"
#include "passes/lowering/emit/node_name.h"
#include "passes/lowering/emit/shard_writer.h"
#include "passes/lowering/memory_report.h"
#include "passes/lowering/wire_ledger.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using flatbuffers::Offset;

namespace sheaf::lowering {

Offset<abi::TensorType> writeType(flatbuffers::FlatBufferBuilder &file, exec::BufferType type) {
  auto dims = file.CreateVector(type.getShape().data(), type.getRank());
  return abi::CreateTensorType(file, *abiElementType(type.getElementType()), dims);
}

ProgramWriter::Signatures ProgramWriter::writeSignatures(ArrayAttr names,
                                                         ArrayRef<BlockArgument> buffers,
                                                         DictionaryAttr defaults,
                                                         DictionaryAttr paddings,
                                                         ArrayRef<Attribute> shards) {
  std::vector<Offset<abi::Signature>> signatures;
  for (auto [index, name, buffer] : llvm::enumerate(names.getAsRange<StringAttr>(), buffers)) {
    auto type = cast<exec::BufferType>(buffer.getType());
    WrittenShard shard = writeShard(
        file, type, shards.empty() ? exec::ShardAttr() : cast<exec::ShardAttr>(shards[index]));
    auto text = file.CreateString(nameText(name));
    uint32_t defaultVariable = UINT32_MAX;
    if (auto variable = defaults ? defaults.getAs<FlatSymbolRefAttr>(name) : FlatSymbolRefAttr())
      defaultVariable = variables.lookup(variable.getValue());
    auto padding = paddings ? paddings.getAs<IntegerAttr>(name) : IntegerAttr();
    signatures.push_back(abi::CreateSignature(file, text, writeType(file, type), shard.wholeDims,
                                              shard.cuts, defaultVariable, bool(padding),
                                              padding ? padding.getInt() : 0));
  }
  return file.CreateVector(signatures);
}

Offset<abi::Buffer> ProgramWriter::writeBuffer(exec::ProgramOp program, Value buffer) {
  auto type = cast<exec::BufferType>(buffer.getType());
  Value memory = memoryOf(buffer);
  abi::Storage storage = abi::Storage::arena;
  int64_t index = 0, offset = offsetInMemory(buffer) * type.getElementBytes();
  if (auto declared = memory.getDefiningOp<exec::BufferOp>()) {
    index = static_cast<int64_t>(type.getSpace());
    offset += *declared.getOffset();
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
  return abi::CreateBuffer(file, tensor, storage, index, offset, strides);
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
static LogicalResult checkNames(exec::ProgramOp program) {
  for (ArrayAttr names : {program.getInputs(), program.getOutputs()}) {
    llvm::StringMap<StringRef> nameOf;
    for (StringRef name : names.getAsValueRange<StringAttr>()) {
      std::string text = nameText(name);
      auto [known, isNew] = nameOf.try_emplace(text, name);
      if (!isNew && known->second == name)
        return program.emitError()
               << "two inputs or outputs are named \"" << text << "\"; rename one";
      if (!isNew)
        return program.emitError() << "two inputs or outputs are named \"" << text
                                   << "\" once what is not UTF-8 is escaped; rename one";
    }
  }
  return success();
}

/// A program of micro-batches takes that many of all its inputs.
static LogicalResult checkMicroBatches(exec::ProgramOp program) {
  std::optional<int64_t> count = program.getMicroBatches();
  if (!count)
    return success();
  if (*count <= 0)
    return program.emitError() << "the number of micro-batches must be positive, found " << *count;
  for (auto [name, input] : llvm::zip_equal(program.getInputs(), program.getInputBuffers())) {
    auto type = cast<exec::BufferType>(input.getType());
    if (type.getShape().empty() || type.getShape().front() != *count)
      return program.emitError() << "input " << name << " of " << type
                                 << " does not begin with the " << *count
                                 << " micro-batches of the program";
  }
  return success();
}

FailureOr<Offset<abi::Program>> ProgramWriter::write(exec::ProgramOp program) {
  if (failed(checkNames(program)) || failed(checkMicroBatches(program)))
    return failure();
  bufferIndices.clear();
  ArrayRef<Attribute> shards;
  if (std::optional<ArrayAttr> given = program.getShards())
    shards = given->getValue();
  size_t numInputShards = shards.empty() ? 0 : program.getInputs().size();
  auto inputs =
      writeSignatures(program.getInputs(), program.getInputBuffers(), program.getDefaultsAttr(),
                      program.getPaddingsAttr(), shards.take_front(numInputShards));
  auto outputs = writeSignatures(program.getOutputs(), program.getOutputBuffers(), DictionaryAttr(),
                                 DictionaryAttr(), shards.drop_front(numInputShards));
  std::vector<Offset<abi::Instruction>> instructions;
  uint32_t numStreams = 1, numEvents = 0;
  for (Operation &op : program.getBlock()) {
    if (isInstruction(&op)) {
      numStreams = std::max<uint32_t>(numStreams, streamOf(&op) + 1);
      for (int64_t event : recordsOf(&op))
        numEvents = std::max<uint32_t>(numEvents, event + 1);
    }
    if (auto call = dyn_cast<exec::CallOp>(op)) {
      instructions.push_back(writeCall(call));
    } else if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
      FailureOr<Offset<abi::Instruction>> instruction = writeLaunch(launch);
      if (failed(instruction))
        return failure();
      instructions.push_back(*instruction);
    }
  }
  std::vector<Offset<abi::Buffer>> buffers;
  for (auto [buffer, index] : bufferIndices)
    buffers.push_back(writeBuffer(program, buffer));
  std::vector<Offset<abi::WireLine>> wire;
  for (const WireLine &line : wireLedger(program))
    wire.push_back(abi::CreateWireLine(file, file.CreateString(line.collective),
                                       file.CreateString(line.axes), line.calls,
                                       line.traffic.payloadBytes, line.traffic.ringBytes));
  ArrayRef<int64_t> arenas = *program.getArenaBytes();
  std::vector<uint64_t> arenaBytes(arenas.begin(), arenas.end());
  return abi::CreateProgram(file, file.CreateString(program.getSymName().str()), inputs, outputs,
                            file.CreateVector(buffers), file.CreateVector(instructions),
                            file.CreateVector(arenaBytes), numStreams, numEvents,
                            plannedBytes(program), file.CreateVector(wire),
                            program.getMicroBatches().value_or(0));
}

} // namespace sheaf::lowering
