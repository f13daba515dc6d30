// Finds processors by name and makes LLVM's code generators for them.
#include "passes/lowering/kernel/host_cpu.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <unistd.h>

using namespace mlir;
using namespace sheaf::lowering;

static const llvm::Target &hostTarget() {
  static const llvm::Target *target = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(llvm::sys::getDefaultTargetTriple()),
                                              error);
  }();
  return *target;
}

HostCpu HostCpu::ofThisMachine() {
  HostCpu cpu;
  cpu.name = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  // Sorted: the text must not depend on the order of a hash table.
  SmallVector<std::pair<StringRef, bool>> found;
  llvm::StringMap<bool> hostFeatures = llvm::sys::getHostCPUFeatures();
  // AVX10 adds to AVX-512, whose parts are listed one by one, only from 10.2 on. Linux reports no version of it, so the
  // runtime could not tell whether a processor has it.
  for (const auto &feature : hostFeatures)
    if (!feature.first().starts_with("avx10"))
      found.push_back({feature.first(), feature.second});
  llvm::sort(found);
  for (auto [name, isOn] : found)
    features.AddFeature(name, isOn);
  cpu.features = features.getString();
  if (long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0)
    cpu.cacheBytes = bytes;
  return cpu;
}

FailureOr<HostCpu> HostCpu::named(StringRef name, function_ref<InFlightDiagnostic()> emitError) {
  HostCpu cpu = ofThisMachine();
  if (name != "native") {
    cpu.name = name.str();
    cpu.features.clear();
    cpu.cacheBytes = HostCpu().cacheBytes;
    std::unique_ptr<llvm::MCSubtargetInfo> any(hostTarget().createMCSubtargetInfo(
        llvm::Triple(llvm::sys::getDefaultTargetTriple()), /*CPU=*/"", /*Features=*/""));
    if (!any->isCPUStringValid(name))
      return emitError() << "unknown processor \"" << name
                         << "\"; give a name that clang -march= takes, or native";
  }
  for (StringRef feature : {"avx2", "fma", "f16c"})
    if (!cpu.hasFeature(feature))
      return emitError() << "processor \"" << name << "\" has no " << feature
                         << "; kernels need x86-64-v3 or newer";
  return cpu;
}

bool HostCpu::hasFeature(StringRef feature) const {
  return createTargetMachine()->getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
}

std::unique_ptr<llvm::TargetMachine> HostCpu::createTargetMachine() const {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  options.NoTrappingFPMath = true;
  return std::unique_ptr<llvm::TargetMachine>(hostTarget().createTargetMachine(
      llvm::Triple(llvm::sys::getDefaultTargetTriple()), name, features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}
