// Generates PTX with LLVM's NVPTX back end.
#include "passes/lowering/kernel/gpu/ptx.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "passes/lowering/kernel/simplify_llvm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";
static constexpr unsigned firstChip = 80;

static const llvm::Target &deviceTarget() {
  static const llvm::Target *target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  }();
  return *target;
}

bool sheaf::lowering::hasPtxFor(unsigned chip) {
  std::unique_ptr<llvm::MCSubtargetInfo> any(
      deviceTarget().createMCSubtargetInfo(llvm::Triple(triple), /*CPU=*/"", /*Features=*/""));
  return chip >= firstChip && any->isCPUStringValid("sm_" + std::to_string(chip));
}

FailureOr<std::string> sheaf::lowering::compileToPtx(ModuleOp module, unsigned chip) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  llvm::TargetOptions options;
  options.NoTrappingFPMath = true;
  std::unique_ptr<llvm::TargetMachine> machine(deviceTarget().createTargetMachine(
      llvm::Triple(triple), "sm_" + std::to_string(chip), /*Features=*/"", options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  simplifyLLVM(*translated, *machine);

  SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError() << "LLVM has no code generator for sm_" << chip;
  emission.run(*translated);
  return text.str().str();
}

std::string sheaf::lowering::joinPtx(ArrayRef<std::string> texts) {
  // Each begins with version, target and size of addresses, which may stand once.
  constexpr llvm::StringLiteral endOfHeader = ".address_size 64\n";
  std::string joined;
  for (StringRef text : texts) {
    auto [header, rest] = text.split(endOfHeader);
    if (joined.empty())
      joined = (header + endOfHeader).str();
    joined += rest;
  }
  return joined;
}
