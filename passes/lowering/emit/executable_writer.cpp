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

constexpr uint32_t version = 4;

/// Fills in the hash of a finished file, which was taken with zeros in its place.
std::string sealFile(flatbuffers::FlatBufferBuilder &file) {
  ArrayRef<uint8_t> bytes(file.GetBufferPointer(), file.GetSize());
  std::array<uint8_t, 32> hash = llvm::SHA256::hash(bytes);
  auto *root = flatbuffers::GetMutableRoot<abi::Executable>(file.GetBufferPointer());
  auto *place = const_cast<uint8_t *>(root->content_hash()->data());
  llvm::copy(hash, place);
  return llvm::toHex(hash, /*LowerCase=*/true);
}

/// Kernels, as the file has them.
struct WrittenCode {
  Offset<abi::Constant> sharedObject;
  Offset<flatbuffers::Vector<Offset<abi::DeviceCode>>> images;
};

FailureOr<WrittenCode> writeCode(flatbuffers::FlatBufferBuilder &file, VariableWriter &writer,
                                 ModuleOp module, const KernelCode &code) {
  auto write = [&](ArrayRef<char> bytes) {
    return writer.writeBytes(module,
                             {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  };
  WrittenCode written;
  if (!code.sharedObject.empty()) {
    FailureOr<Offset<abi::Constant>> bytes = write(code.sharedObject);
    if (failed(bytes))
      return failure();
    written.sharedObject = *bytes;
  }
  std::vector<Offset<abi::DeviceCode>> images;
  for (const DeviceImage &image : code.images) {
    FailureOr<Offset<abi::Constant>> bytes = write(image.bytes);
    if (failed(bytes))
      return failure();
    images.push_back(abi::CreateDeviceCode(file, image.chip, image.isPtx, *bytes));
  }
  if (!images.empty())
    written.images = file.CreateVector(images);
  return written;
}

/// "PTX for sm_80, cubins for sm_80 sm_90".
std::string describe(ArrayRef<DeviceImage> images) {
  std::string ptx, cubins;
  for (const DeviceImage &image : images)
    (image.isPtx ? ptx : cubins) += " sm_" + std::to_string(image.chip);
  if (ptx.empty())
    return "no kernels";
  return "PTX for" + ptx + (cubins.empty() ? ", no cubins" : ", cubins for" + cubins);
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
  std::unique_ptr<KernelCompiler> compiler = options.target.createCompiler(module.getContext());
  ProgramWriter writer(file, variables.indices(), symbols, *compiler);
  FailureOr<std::vector<Offset<abi::Program>>> programs = writer.write(module);
  if (failed(programs))
    return failure();
  FailureOr<KernelCode> code = compiler->finish();
  if (failed(code))
    return failure();
  FailureOr<WrittenCode> written = writeCode(file, variables, module, *code);
  if (failed(written))
    return failure();

  Offset<abi::Constant> reference;
  if (!options.reference.empty()) {
    FailureOr<Offset<abi::Constant>> bytes = variables.writeBytes(module, options.reference);
    if (failed(bytes))
      return failure();
    reference = *bytes;
  }
  auto meshes = module.getOps<exec::MeshOp>();
  WrittenMesh mesh = writeMesh(file, meshes.empty() ? exec::MeshOp() : *meshes.begin());
  const std::vector<uint8_t> noHash(32, 0);
  bool isHost = options.target.device == Device::host;
  const HostCpu &cpu = options.target.cpu;
  Offset<flatbuffers::String> cpuName, cpuFeatures;
  if (isHost) {
    cpuName = file.CreateString(cpu.name);
    cpuFeatures = file.CreateString(cpu.features);
  }
  auto root = abi::CreateExecutable(
      file, version, file.CreateString(nameOf(options.target.device).str()), cpuName, cpuFeatures,
      file.CreateString(options.model), mesh.axes, mesh.devices,
      file.CreateVector(variables.variables), file.CreateVector(variables.constants),
      written->sharedObject, file.CreateVector(*programs), file.CreateVector(noHash), reference,
      written->images);
  abi::FinishExecutableBuffer(file, root);

  SerializedExecutable result;
  ExecutableFacts &facts = result.facts;
  facts.sha256 = sealFile(file);
  facts.machine = isHost ? cpu.name : describe(code->images);
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
