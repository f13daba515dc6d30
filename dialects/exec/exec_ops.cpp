// Checks of the exec dialect's ops that hold programs and their memory.
#include "dialects/exec/exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::exec;

#define GET_OP_CLASSES
#include "dialects/exec/exec_ops.cpp.inc"

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyNames(ProgramOp op, ArrayAttr names, StringRef role) {
  llvm::StringSet<> seen;
  for (auto name : names.getAsRange<StringAttr>())
    if (!seen.insert(name).second) // (C2)
      return op.emitOpError() << "has two " << role << "s named " << name;
  return success();
}

LogicalResult ProgramOp::verify() {
  size_t numNames = getInputs().size() + getOutputs().size();
  if (getBlock().getNumArguments() != numNames) // (C1)
    return emitOpError() << "has " << getBlock().getNumArguments() << " arguments for " << numNames
                         << " inputs and outputs";
  for (BlockArgument argument : getBlock().getArguments())
    if (auto type = dyn_cast<BufferType>(argument.getType()); !type || !type.isPlain()) // (C1)
      return emitOpError() << "argument " << argument.getArgNumber() << " of type "
                           << argument.getType() << " is not a plain buffer";
  if (getShards() && getShards()->size() != numNames) // (C5)
    return emitOpError() << "has " << getShards()->size() << " shards for " << numNames
                         << " inputs and outputs";
  if (failed(verifyNames(*this, getInputs(), "input")))
    return failure();
  return verifyNames(*this, getOutputs(), "output");
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (DictionaryAttr paddings = getPaddingsAttr())
    for (NamedAttribute entry : paddings) // (C6)
      if (!llvm::is_contained(getInputs(), entry.getName()) || !isa<IntegerAttr>(entry.getValue()))
        return emitOpError() << "has padding " << entry.getValue() << " for " << entry.getName()
                             << "; it must be an integer, for an input";
  DictionaryAttr defaults = getDefaultsAttr();
  if (!defaults)
    return success();
  for (NamedAttribute entry : defaults) { // (C4)
    auto input = llvm::find(getInputs(), entry.getName());
    if (input == getInputs().end())
      return emitOpError() << "has a default for " << entry.getName() << ", which is no input";
    auto reference = dyn_cast<FlatSymbolRefAttr>(entry.getValue());
    auto variable =
        reference ? symbols.lookupNearestSymbolFrom<VariableOp>(*this, reference) : VariableOp();
    Type type = getInputBuffers()[input - getInputs().begin()].getType();
    if (!variable || variable.getType() != type)
      return emitOpError() << "default of input " << entry.getName() << ": " << entry.getValue()
                           << " is no variable of type " << type;
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (!getArenaBytes())
    return success();
  for (auto buffer : getBlock().getOps<BufferOp>()) { // (C3)
    BufferType type = buffer.getType();
    auto space = static_cast<size_t>(type.getSpace());
    int64_t arena = space < getArenaBytes()->size() ? (*getArenaBytes())[space] : 0;
    if (!buffer.getOffset())
      return buffer.emitOpError("has no place, but the program is planned");
    if (type.getBytes() > arena ||
        static_cast<int64_t>(*buffer.getOffset()) > arena - type.getBytes())
      return buffer.emitOpError() << "of " << type.getBytes() << " bytes at " << *buffer.getOffset()
                                  << " is not within the arena of " << arena << " bytes";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// VariableOp, BufferOp, GetOp
//===----------------------------------------------------------------------===//

/// Bytes of a source; none for an attribute that is no source.
static std::optional<int64_t> bytesOfSource(Attribute source) {
  if (auto range = dyn_cast<FileRangeAttr>(source))
    return range.getBytes();
  if (auto elements = dyn_cast<ElementsAttr>(source))
    return BufferType::of(cast<RankedTensorType>(elements.getType())).getBytes();
  return std::nullopt;
}

LogicalResult VariableOp::verify() {
  auto type = cast<BufferType>(getType());
  if (!type.isPlain() && type.getPackedBytes() == 0) // (C1)
    return emitOpError() << "of type " << type << " is neither plain nor packed";
  if (!getSource())
    return success();
  if (getRole() == Role::carried) // (C3)
    return emitOpError() << "is carried from part to part, so it cannot start from "
                         << *getSource();
  std::optional<int64_t> bytes = bytesOfSource(*getSource());
  int64_t expected = type.getBytes();
  if (std::optional<ShardAttr> shard = getShard()) {
    expected = type.getElementBytes();
    for (int64_t extent : shard->getWhole())
      if (extent < 0 || llvm::MulOverflow(expected, extent, expected))
        return emitOpError() << "has a whole of extents [" << shard->getWhole()
                             << "], which is negative or too large";
  }
  if (!bytes || *bytes != expected || !type.isPlain()) // (C2)
    return emitOpError() << "of " << expected << " bytes cannot start from " << *getSource();
  return success();
}

LogicalResult MeshOp::verify() {
  int64_t numRanks = 1;
  if (getExtents().size() != getAxes().size())
    return emitOpError() << "has " << getExtents().size() << " extents for " << getAxes().size()
                         << " axes";
  for (int64_t extent : getExtents())
    if (extent < 1 || llvm::MulOverflow(numRanks, extent, numRanks)) // (C1)
      return emitOpError() << "has extents [" << getExtents() << "]; they must be positive";
  if (!getDevices())
    return success();
  SmallVector<int64_t> ranks(*getDevices());
  llvm::sort(ranks);
  if (!llvm::equal(ranks, llvm::seq(numRanks))) // (C1)
    return emitOpError() << "has devices [" << *getDevices() << "], which must be the ranks 0 to "
                         << numRanks - 1 << " in some order";
  return success();
}

LogicalResult BufferOp::verify() {
  if (!getType().isPlain()) // (C1)
    return emitOpError() << "of type " << getType() << " is not plain";
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0) // (C2)
    return emitOpError() << "offset " << static_cast<int64_t>(*getOffset()) << " is negative";
  if (getOffset() && *getOffset() % 64 != 0) // (C2)
    return emitOpError() << "offset " << *getOffset() << " is not a multiple of 64";
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(*this, getVariableAttr());
  if (!variable || variable.getType() != getType()) // (C1)
    return emitOpError() << "finds no variable " << getVariable() << " of type " << getType();
  return success();
}
