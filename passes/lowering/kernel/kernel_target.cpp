// Makes the kernel compiler of a device.
#include "passes/lowering/kernel/kernel_target.h"

#include "passes/lowering/kernel/gpu/cuda_kernel_compiler.h"
#include "passes/lowering/kernel/host_kernel_compiler.h"

using namespace mlir;
using namespace sheaf::lowering;

std::unique_ptr<KernelCompiler> KernelTarget::createCompiler(MLIRContext *context) const {
  if (device == Device::cuda)
    return std::make_unique<CudaKernelCompiler>(context, chips);
  return std::make_unique<HostKernelCompiler>(context, cpu);
}
