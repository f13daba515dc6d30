// Translates a kernel's module to LLVM IR and generates code.
#include "passes/lowering/kernel/object_code.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "passes/lowering/kernel/simplify_llvm.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

FailureOr<sheaf::lowering::Bytes> sheaf::lowering::compileToObject(ModuleOp module,
                                                                   const HostCpu &cpu) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = cpu.createTargetMachine();
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  simplifyLLVM(*translated, *machine);

  Bytes object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emission;
  emission.add(new llvm::TargetLibraryInfoWrapperPass(
      llvm::TargetLibraryInfoImpl(machine->getTargetTriple())));
  if (machine->addPassesToEmitFile(emission, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError() << "processor \"" << cpu.name << "\" has no object code";
  emission.run(*translated);
  return object;
}
