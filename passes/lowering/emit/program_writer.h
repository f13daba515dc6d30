// Writes programs into the executable.
#ifndef SHEAF_PASSES_LOWERING_EMIT_PROGRAM_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_PROGRAM_WRITER_H

#include "dialects/exec/exec.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "runtime/abi/executable_generated.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

/// Writes one planned program; its kernels go to `compiler`.
class ProgramWriter {
public:
  ProgramWriter(flatbuffers::FlatBufferBuilder &file, const llvm::StringMap<uint32_t> &variables,
                const mlir::SymbolTable &symbols, KernelCompiler &compiler)
      : file(file), variables(variables), symbols(symbols), compiler(compiler) {}

  mlir::FailureOr<flatbuffers::Offset<abi::Program>> write(exec::ProgramOp program);

private:
  using Signatures = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<abi::Signature>>>;

  /// `defaults` names the variables of those that need not be given.
  Signatures writeSignatures(mlir::ArrayAttr names, mlir::ArrayRef<mlir::BlockArgument> buffers,
                             mlir::DictionaryAttr defaults, mlir::DictionaryAttr paddings,
                             llvm::ArrayRef<mlir::Attribute> shards);
  flatbuffers::Offset<abi::Buffer> writeBuffer(exec::ProgramOp program, mlir::Value buffer);
  flatbuffers::Offset<abi::Instruction> writeCall(exec::CallOp call);
  mlir::FailureOr<flatbuffers::Offset<abi::Instruction>> writeLaunch(exec::LaunchOp launch);
  /// The places of buffers in the program's list; new ones are added to it.
  std::vector<uint32_t> indicesOf(mlir::ValueRange buffers);

  flatbuffers::FlatBufferBuilder &file;
  const llvm::StringMap<uint32_t> &variables;
  const mlir::SymbolTable &symbols;
  KernelCompiler &compiler;
  llvm::MapVector<mlir::Value, uint32_t> bufferIndices;
};

/// The type of a buffer without strides and layout.
flatbuffers::Offset<abi::TensorType> writeType(flatbuffers::FlatBufferBuilder &file,
                                               exec::BufferType type);

} // namespace sheaf::lowering

#endif
