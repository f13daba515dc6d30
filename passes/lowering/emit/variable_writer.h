// Writes variables and constants into the executable.
#ifndef SHEAF_PASSES_LOWERING_EMIT_VARIABLE_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_VARIABLE_WRITER_H

#include "dialects/exec/exec.h"
#include "runtime/abi/executable_generated.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

/// Writes the variables of a module and numbers them.
class VariableWriter {
public:
  /// `folder` is where the executable will be; file ranges are written relative to it.
  VariableWriter(flatbuffers::FlatBufferBuilder &file, llvm::StringRef folder)
      : file(file), folder(folder) {}

  mlir::LogicalResult write(exec::VariableOp variable);

  /// 64-byte aligned bytes; errors when the file grows beyond what its format can address.
  mlir::FailureOr<flatbuffers::Offset<abi::Constant>> writeBytes(mlir::Operation *op,
                                                                 llvm::ArrayRef<uint8_t> bytes);

  const llvm::StringMap<uint32_t> &indices() const { return indexOf; }
  std::vector<flatbuffers::Offset<abi::Variable>> variables;
  std::vector<flatbuffers::Offset<abi::Constant>> constants;

private:
  mlir::FailureOr<flatbuffers::Offset<abi::FileRange>> writeRange(exec::VariableOp variable,
                                                                  exec::FileRangeAttr range);

  flatbuffers::FlatBufferBuilder &file;
  std::string folder;
  llvm::StringMap<uint32_t> indexOf;
};

} // namespace sheaf::lowering

#endif
