// Puts the executable file together: variables, programs, kernels, hash.
#include "passes/lowering/emit/executable_writer.h"

#include "passes/lowering/emit/program_writer.h"
#include "passes/lowering/emit/shard_writer.h"
#include "passes/lowering/emit/variable_writer.h"
#include "passes/lowering/emit/whole_file.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using flatbuffers::Offset;

namespace sheaf::lowering {
namespace {

constexpr uint32_t version = 2;

/// Fills in the hash of a finished file, which was taken with zeros in its place.
std::string sealFile(flatbuffers::FlatBufferBuilder &file) {
  ArrayRef<uint8_t> bytes(file.GetBufferPointer(), file.GetSize());
  std::array<uint8_t, 32> hash = llvm::SHA256::hash(bytes);
  auto *root = flatbuffers::GetMutableRoot<abi::Executable>(file.GetBufferPointer());
  auto *place = const_cast<uint8_t *>(root->content_hash()->data());
  llvm::copy(hash, place);
  return llvm::toHex(hash, /*LowerCase=*/true);
}

} // namespace

FailureOr<SerializedExecutable> serializeExecutable(ModuleOp module,
                                                    const ExecutableOptions &options) {
  flatbuffers::FlatBufferBuilder file(1 << 20);
  VariableWriter variables(file, llvm::sys::path::parent_path(options.path));
  for (auto variable : module.getOps<exec::VariableOp>())
    if (failed(variables.write(variable)))
      return failure();

  SymbolTable symbols(module);
  KernelCompiler compiler(module.getContext(), options.cpu);
  ProgramWriter writer(file, variables.indices(), symbols, compiler);
  std::vector<Offset<abi::Program>> programs;
  for (auto program : module.getOps<exec::ProgramOp>()) {
    FailureOr<Offset<abi::Program>> written = writer.write(program);
    if (failed(written))
      return failure();
    programs.push_back(*written);
  }
  FailureOr<SmallVector<char, 0>> object = compiler.link();
  if (failed(object))
    return failure();
  Offset<abi::Constant> kernels;
  if (!object->empty()) {
    ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(object->data()), object->size());
    FailureOr<Offset<abi::Constant>> written = variables.writeBytes(module, bytes);
    if (failed(written))
      return failure();
    kernels = *written;
  }

  Offset<abi::Constant> reference;
  if (!options.reference.empty()) {
    FailureOr<Offset<abi::Constant>> written = variables.writeBytes(module, options.reference);
    if (failed(written))
      return failure();
    reference = *written;
  }
  auto meshes = module.getOps<exec::MeshOp>();
  WrittenMesh mesh = writeMesh(file, meshes.empty() ? exec::MeshOp() : *meshes.begin());
  const std::vector<uint8_t> noHash(32, 0);
  auto root = abi::CreateExecutable(
      file, version, file.CreateString("host"), file.CreateString(options.cpu.name),
      file.CreateString(options.cpu.features), file.CreateString(options.model), mesh.axes,
      mesh.devices, file.CreateVector(variables.variables), file.CreateVector(variables.constants),
      kernels, file.CreateVector(programs), file.CreateVector(noHash), reference);
  abi::FinishExecutableBuffer(file, root);

  SerializedExecutable result;
  ExecutableFacts &facts = result.facts;
  facts.sha256 = sealFile(file);
  facts.cpu = options.cpu.name;
  facts.fileBytes = file.GetSize();
  facts.numKernels = llvm::range_size(module.getOps<exec::KernelOp>());
  result.bytes.assign(file.GetBufferPointer(), file.GetBufferPointer() + file.GetSize());
  return result;
}

FailureOr<ExecutableFacts> writeExecutable(ModuleOp module, const ExecutableOptions &options) {
  FailureOr<SerializedExecutable> executable = serializeExecutable(module, options);
  if (failed(executable))
    return failure();
  if (llvm::Error error = writeWholeFile(options.path, executable->bytes))
    return emitError(UnknownLoc::get(module.getContext())) << llvm::toString(std::move(error));
  return executable->facts;
}

} // namespace sheaf::lowering
