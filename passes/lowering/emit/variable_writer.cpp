// Writes variables: embedded constants, and where in which file the others are.
#include "passes/lowering/emit/variable_writer.h"

#include "passes/analysis/byte_count.h"
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/emit/program_writer.h"
#include "passes/lowering/emit/shard_writer.h"
#include "llvm/Support/FileSystem.h"
#include <filesystem>

using namespace mlir;
using flatbuffers::Offset;

namespace sheaf::lowering {

FailureOr<Offset<abi::Constant>> VariableWriter::writeBytes(Operation *op,
                                                            ArrayRef<uint8_t> bytes) {
  // The format addresses 2 GiB; the rest of the file is small beside what is kept free here.
  constexpr int64_t maxBytes = (int64_t(1) << 31) - (int64_t(64) << 20);
  if (addBytes(file.GetSize(), bytes.size()) > maxBytes)
    return op->emitError() << "embeds " << formatBytes(bytes.size())
                           << ", but an executable holds 2 GiB; store large constants of the "
                              "model as external data";
  file.PreAlign(bytes.size(), 64); // ForceVectorAlignment asserts that 32 is the most.
  return abi::CreateConstant(file, file.CreateVector(bytes.data(), bytes.size()));
}

FailureOr<Offset<abi::FileRange>> VariableWriter::writeRange(exec::VariableOp variable,
                                                             exec::FileRangeAttr range) {
  uint64_t fileBytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(range.getFile(), fileBytes))
    return variable.emitError() << "can't read \"" << range.getFile() << "\", which holds \""
                                << variable.getSymName() << "\": " << error.message();
  if (static_cast<uint64_t>(range.getOffset()) > fileBytes ||
      static_cast<uint64_t>(range.getBytes()) > fileBytes - range.getOffset())
    return variable.emitError() << "\"" << variable.getSymName() << "\" is " << range.getBytes()
                                << " bytes at " << range.getOffset() << " of \"" << range.getFile()
                                << "\", which has only " << fileBytes;
  std::error_code error;
  std::filesystem::path path = std::filesystem::canonical(range.getFile().str(), error);
  std::filesystem::path base =
      error ? path : std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (!error)
    path = path.lexically_relative(base);
  if (error || path.empty())
    return variable.emitError() << "can't name \"" << range.getFile() << "\" from \"" << folder
                                << "\": " << error.message();
  return abi::CreateFileRange(file, file.CreateString(path.string()), range.getOffset(),
                              range.getBytes(), fileBytes);
}

LogicalResult VariableWriter::write(exec::VariableOp variable) {
  auto type = cast<exec::BufferType>(variable.getType());
  Offset<abi::FileRange> source;
  uint32_t constant = UINT32_MAX;
  Offset<flatbuffers::Vector<uint8_t>> element;
  Attribute origin = variable.getSource().value_or(Attribute());
  if (auto range = dyn_cast_or_null<exec::FileRangeAttr>(origin)) {
    FailureOr<Offset<abi::FileRange>> written = writeRange(variable, range);
    if (failed(written))
      return failure();
    source = *written;
  } else if (auto splat = dyn_cast_or_null<SplatElementsAttr>(origin);
             splat && variable.getRole() == exec::Role::state) {
    auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, splat.getElementType()),
                                         splat.getSplatValue<Attribute>());
    element = file.CreateVector(*bytesOf(scalar));
  } else if (auto elements = dyn_cast_or_null<ElementsAttr>(origin)) {
    std::optional<std::vector<uint8_t>> bytes = bytesOf(elements);
    if (!bytes)
      return variable.emitError() << "the value of \"" << variable.getSymName()
                                  << "\" is not in the module";
    FailureOr<Offset<abi::Constant>> written = writeBytes(variable, *bytes);
    if (failed(written))
      return failure();
    constant = constants.size();
    constants.push_back(*written);
  }
  indexOf[variable.getSymName()] = variables.size();
  WrittenShard shard = writeShard(file, type, variable.getShard().value_or(exec::ShardAttr()));
  variables.push_back(abi::CreateVariable(
      file, file.CreateString(variable.getSymName().str()), writeType(file, type), shard.wholeDims,
      shard.cuts, source, constant, variable.getIsPrepareOnly(), type.getPackedBytes(),
      static_cast<abi::VariableRole>(variable.getRole()), element));
  return success();
}

} // namespace sheaf::lowering
