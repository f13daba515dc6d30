// Reads lists of compute capabilities.
#include "passes/lowering/kernel/gpu/gpu_chips.h"

#include "passes/lowering/kernel/gpu/ptx.h"

using namespace mlir;
using namespace sheaf::lowering;

FailureOr<GpuChips> GpuChips::named(StringRef list, function_ref<InFlightDiagnostic()> emitError) {
  GpuChips chips;
  chips.capabilities.clear();
  chips.wantsCubins = true;
  SmallVector<StringRef> names;
  list.split(names, ',');
  for (StringRef name : names) {
    unsigned capability;
    if (name.getAsInteger(10, capability) || !hasPtxFor(capability))
      return emitError() << "unknown GPU architecture \"" << name
                         << "\"; give compute capabilities from 80 on, such as 80,90,100";
    chips.capabilities.push_back(capability);
  }
  llvm::sort(chips.capabilities);
  chips.capabilities.erase(llvm::unique(chips.capabilities), chips.capabilities.end());
  return chips;
}
