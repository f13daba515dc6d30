// Plans and emits kernels as clusters are added; compiles them in parallel and joins their PTX.
#include "passes/lowering/kernel/gpu/cuda_kernel_compiler.h"

#include "mlir/IR/Threading.h"
#include "passes/lowering/kernel/cluster_profile.h"
#include "passes/lowering/kernel/gpu/device_module.h"
#include "passes/lowering/kernel/gpu/ptx.h"
#include "passes/lowering/kernel/gpu/ptx_assembler.h"
#include "passes/lowering/kernel/object_code.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Each element must be read and written by the same thread, which reads it for the last time before.
bool CudaKernelCompiler::mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                                      unsigned operand, unsigned result) {
  Type from = getElementTypeOrSelf(cluster->getOperand(operand));
  Type to = getElementTypeOrSelf(cluster->getResult(result));
  if (storedBytesOf(from) != storedBytesOf(to))
    return false;
  DevicePlan plan = DevicePlan::of(cluster, buffers);
  Value read = cluster.getBodyBlock()->getArgument(operand);
  Value written = cluster.getBodyBlock()->getTerminator()->getOperand(result);
  if (plan.space.factorsOf(read) != plan.space.factorsOf(written) ||
      shapeOf(cluster->getOperand(operand)) != shapeOf(cluster->getResult(result)) ||
      buffers.operands[operand].strides != buffers.results[result].strides)
    return false;
  ArrayRef<unsigned> late = plan.passes.unitResults;
  if (llvm::is_contained(late, result)) {
    // All threads of a unit read such an operand, and one writes the result while others may be behind:
    // unless what they read by then counts for nothing.
    return plan.threads.cooperating == 1 ||
           (llvm::is_contained(plan.passes.lateUnitValues, read) &&
            llvm::none_of(plan.passes.passes, [&](const UnitPass &pass) {
              return llvm::is_contained(pass.unitValues, read);
            }));
  }
  std::optional<unsigned> lastRead = plan.passes.lastReadOf(cast<BlockArgument>(read));
  for (auto [index, pass] : llvm::enumerate(plan.passes.passes))
    if (llvm::is_contained(pass.results, result))
      return !lastRead || *lastRead <= index;
  return false;
}

KernelCompiler::Pending CudaKernelCompiler::build(graph::ClusterOp cluster,
                                                  const ClusterBuffers &buffers, StringRef symbol) {
  DevicePlan plan = DevicePlan::of(cluster, buffers);
  Pending added;
  added.kernel.gridBlocks = plan.threads.gridBlocks();
  added.kernel.blockThreads = plan.threads.blockThreads();
  added.module = buildDeviceModule(cluster, buffers, plan, symbol);
  return added;
}

FailureOr<KernelCode> CudaKernelCompiler::finish() {
  KernelCode code;
  if (pending.empty())
    return code;
  if (!llvm::all_of(pending, [](const Pending &added) { return bool(added.module); }))
    return failure(); // Its error has been emitted.
  std::vector<std::string> texts(pending.size());
  auto compile = [&](size_t index) -> LogicalResult {
    ModuleOp module = *pending[index].module;
    if (failed(lowerToLLVMDialect(module)))
      return failure();
    FailureOr<std::string> text = compileToPtx(module, chips.first());
    if (failed(text))
      return failure();
    texts[index] = std::move(*text);
    return success();
  };
  if (failed(failableParallelForEach(context, llvm::seq(pending.size()), compile)))
    return failure();
  std::string ptx = joinPtx(texts);
  code.images.push_back({chips.first(), /*isPtx=*/true, {ptx.begin(), ptx.end()}});
  if (failed(addCubins(ptx, code.images)))
    return failure();
  return code;
}

LogicalResult CudaKernelCompiler::addCubins(StringRef ptx, std::vector<DeviceImage> &images) {
  std::unique_ptr<PtxAssembler> assembler = chips.wantsCubins ? PtxAssembler::find() : nullptr;
  if (!assembler)
    return success();
  std::vector<DeviceImage> cubins(chips.capabilities.size());
  auto assemble = [&](size_t index) -> LogicalResult {
    unsigned chip = chips.capabilities[index];
    FailureOr<SmallVector<char, 0>> cubin =
        assembler->assemble(ptx, chip, UnknownLoc::get(context));
    if (failed(cubin))
      return failure();
    cubins[index] = {chip, /*isPtx=*/false, std::move(*cubin)};
    return success();
  };
  if (failed(failableParallelForEach(context, llvm::seq(cubins.size()), assemble)))
    return failure();
  llvm::move(cubins, std::back_inserter(images));
  return success();
}
