// Plans and emits kernels as clusters are added; compiles them together, in parallel.
#include "passes/lowering/kernel/host_kernel_compiler.h"

#include "mlir/IR/Threading.h"
#include "passes/lowering/kernel/kernel_module.h"
#include "passes/lowering/kernel/object_code.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

HostKernelCompiler::HostKernelCompiler(MLIRContext *context, HostCpu cpu)
    : KernelCompiler(context), cpu(std::move(cpu)), hasAvx512(this->cpu.hasFeature("avx512f")) {}

HostKernelCompiler::~HostKernelCompiler() = default;

bool HostKernelCompiler::mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                                      unsigned operand, unsigned result) {
  Type from = getElementTypeOrSelf(cluster->getOperand(operand));
  Type to = getElementTypeOrSelf(cluster->getResult(result));
  if (storedBytesOf(from) != storedBytesOf(to))
    return false;
  ClusterPlan plan = ClusterPlan::of(cluster, buffers);
  const Access &read = plan.schedule.operands[operand], &written = plan.schedule.results[result];
  if (read.strides != written.strides || read.tileStride != written.tileStride)
    return false;
  std::optional<unsigned> lastRead =
      plan.passes.lastReadOf(cluster.getBodyBlock()->getArgument(operand));
  for (auto [index, pass] : llvm::enumerate(plan.passes.passes))
    if (llvm::is_contained(pass.results, result))
      return !lastRead || *lastRead <= index;
  return true; // Written after all passes.
}

KernelCompiler::Pending HostKernelCompiler::build(graph::ClusterOp cluster,
                                                  const ClusterBuffers &buffers, StringRef symbol) {
  ClusterPlan plan = ClusterPlan::of(cluster, buffers);
  Pending added;
  added.kernel.units = plan.schedule.numUnits();
  added.kernel.unitBytes =
      llvm::divideCeil(plan.profile.bytes, std::max<int64_t>(added.kernel.units, 1));
  added.module = buildKernelModule(cluster, buffers, plan, {hasAvx512}, cpu.cacheBytes, symbol);
  return added;
}

FailureOr<KernelCode> HostKernelCompiler::finish() {
  if (pending.empty())
    return KernelCode();
  SmallVector<Bytes> objects(pending.size());
  auto compile = [&](size_t index) -> LogicalResult {
    ModuleOp module = *pending[index].module;
    if (failed(lowerToLLVMDialect(module)))
      return failure();
    FailureOr<Bytes> object = compileToObject(module, cpu);
    if (failed(object))
      return failure();
    objects[index] = std::move(*object);
    return success();
  };
  if (failed(failableParallelForEach(context, llvm::seq(pending.size()), compile)))
    return failure();
  FailureOr<Bytes> linked = linkSharedObject(objects, pending.front().module->getLoc());
  if (failed(linked))
    return failure();
  return KernelCode{std::move(*linked), {}};
}
