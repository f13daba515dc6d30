// What machines an executable is compiled for.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_TARGET_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_TARGET_H

#include "passes/lowering/device.h"
#include "passes/lowering/kernel/gpu/gpu_chips.h"
#include "passes/lowering/kernel/host_cpu.h"
#include "passes/lowering/kernel/kernel_compiler.h"

namespace sheaf::lowering {

struct KernelTarget {
  Device device = Device::host;
  HostCpu cpu;    ///< of `host`
  GpuChips chips; ///< of `cuda`

  std::unique_ptr<KernelCompiler> createCompiler(mlir::MLIRContext *context) const;
};

} // namespace sheaf::lowering

#endif
