// Writes programs into the executable.
#ifndef SHEAF_PASSES_LOWERING_EMIT_PROGRAM_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_PROGRAM_WRITER_H

#include "dialects/exec/exec.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/lowering/whole_program.h"
#include "runtime/abi/executable_generated.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

/// Writes planned programs; their kernels go to `compiler`.
class ProgramWriter {
public:
  ProgramWriter(flatbuffers::FlatBufferBuilder &file, const llvm::StringMap<uint32_t> &variables,
                const mlir::SymbolTable &symbols, KernelCompiler &compiler)
      : file(file), variables(variables), symbols(symbols), compiler(compiler) {}

  /// All programs of a module: what users run, in order, then the parts of that.
  mlir::FailureOr<std::vector<flatbuffers::Offset<abi::Program>>> write(mlir::ModuleOp module);

private:
  /// What the instructions of a program become.
  struct Body {
    std::vector<flatbuffers::Offset<abi::Buffer>> buffers;
    std::vector<flatbuffers::Offset<abi::Instruction>> instructions;
    uint32_t numStreams = 1, numEvents = 0;
  };
  using Signatures = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<abi::Signature>>>;

  /// `parts` are those of a schedule.
  mlir::FailureOr<flatbuffers::Offset<abi::Program>> write(const WholeProgram &program,
                                                           llvm::ArrayRef<abi::Part> parts);
  mlir::FailureOr<Body> writeBody(exec::ProgramOp program);
  Signatures writeSignatures(llvm::ArrayRef<mlir::BlockArgument> arguments);
  flatbuffers::Offset<abi::Signature> writeSignature(mlir::BlockArgument argument);
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
  /// The numbers of the arena's blocks in the program.
  llvm::DenseMap<mlir::Value, uint32_t> blockNumbers;
};

/// The type of a buffer without strides and layout.
flatbuffers::Offset<abi::TensorType> writeType(flatbuffers::FlatBufferBuilder &file,
                                               exec::BufferType type);

} // namespace sheaf::lowering

#endif
