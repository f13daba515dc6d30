// The processor that host kernels are compiled for.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_HOST_CPU_H
#define SHEAF_PASSES_LOWERING_KERNEL_HOST_CPU_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace sheaf::lowering {

/// A processor by LLVM's names. Kernels need FMA and F16C (x86-64-v3); AVX-512 doubles their speed.
struct HostCpu {
  std::string name;
  /// Comma-joined, `+` on and `-` off, on top of what `name` has.
  std::string features;
  /// Results larger than the last-level cache are written around it.
  int64_t cacheBytes = 32 << 20;

  static HostCpu ofThisMachine();
  /// The processor called `name` ("x86-64-v3", "znver4", ...; "native" is this machine).
  /// Errors: unknown names, and processors without FMA and F16C.
  static mlir::FailureOr<HostCpu> named(llvm::StringRef name,
                                        llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  bool hasFeature(llvm::StringRef feature) const;
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;
};

} // namespace sheaf::lowering

#endif
