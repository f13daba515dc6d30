// Runs ptxas on files in a temporary folder.
#include "passes/lowering/kernel/gpu/ptxas_program.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sheaf::lowering;

namespace {

class PtxasProgram : public PtxAssembler {
public:
  explicit PtxasProgram(std::string program) : program(std::move(program)) {}

  FailureOr<SmallVector<char, 0>> assemble(StringRef ptx, unsigned chip,
                                           Location location) override {
    SmallString<128> folder;
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("sheaf-ptx", folder))
      return emitError(location) << "can't make a temporary folder to assemble kernels in: "
                                 << error.message() << "; set TMPDIR to one that is writable";
    llvm::scope_exit removal([&] { llvm::sys::fs::remove_directories(folder); });
    auto pathOf = [&](StringRef name) {
      SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      return path.str().str();
    };
    std::string source = pathOf("kernels.ptx"), cubin = pathOf("kernels.cubin");
    std::string messages = pathOf("messages");
    std::error_code error;
    llvm::raw_fd_ostream stream(source, error);
    stream << ptx;
    stream.close();
    if (error || stream.has_error())
      return emitError(location) << "can't write " << source
                                 << " to assemble kernels: " << stream.error().message();
    std::string arch = "-arch=sm_" + std::to_string(chip);
    std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages), StringRef(messages)};
    int status = llvm::sys::ExecuteAndWait(program, {program, arch, source, "-o", cubin},
                                           /*Env=*/std::nullopt, redirects);
    auto textOf = [](StringRef path) {
      auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
      return file ? (*file)->getBuffer().str() : std::string();
    };
    std::string bytes = textOf(cubin);
    if (status != 0 || bytes.empty())
      return emitError(location) << "ptxas can't assemble kernels for sm_" << chip << ": "
                                 << StringRef(textOf(messages)).trim();
    return SmallVector<char, 0>(bytes.begin(), bytes.end());
  }

private:
  std::string program;
};

} // namespace

std::unique_ptr<PtxAssembler> sheaf::lowering::findPtxasProgram() {
  SmallVector<StringRef> folders;
  std::string ofToolkit;
  if (const char *home = std::getenv("CUDA_HOME")) {
    ofToolkit = std::string(home) + "/bin";
    folders.push_back(ofToolkit);
  }
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas", folders);
  if (!program)
    program = llvm::sys::findProgramByName("ptxas");
  if (!program)
    return nullptr;
  return std::make_unique<PtxasProgram>(*program);
}
