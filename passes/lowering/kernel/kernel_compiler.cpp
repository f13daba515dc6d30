// Plans and emits kernels as clusters are added; compiles them together, in parallel.
#include "passes/lowering/kernel/kernel_compiler.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "passes/lowering/kernel/kernel_module.h"
#include "passes/lowering/kernel/object_code.h"
#include "passes/lowering/kernel/vector_memory.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

BufferLayout BufferLayout::rowMajor(RankedTensorType type, int64_t alignment) {
  BufferLayout layout;
  layout.alignment = alignment;
  layout.strides.resize(type.getRank());
  int64_t stride = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    layout.strides[dim] = stride;
    stride *= std::max<int64_t>(type.getDimSize(dim), 1);
  }
  return layout;
}

ClusterBuffers ClusterBuffers::rowMajor(graph::ClusterOp cluster, int64_t alignment) {
  ClusterBuffers buffers;
  for (Type type : cluster->getOperandTypes())
    buffers.operands.push_back(BufferLayout::rowMajor(cast<RankedTensorType>(type), alignment));
  for (Type type : cluster->getResultTypes())
    buffers.results.push_back(BufferLayout::rowMajor(cast<RankedTensorType>(type), alignment));
  return buffers;
}

void KernelCompiler::registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
                  vector::VectorDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

KernelCompiler::KernelCompiler(MLIRContext *context, HostCpu cpu)
    : context(context), cpu(std::move(cpu)), hasAvx512(this->cpu.hasFeature("avx512f")) {}

KernelCompiler::~KernelCompiler() = default;

bool KernelCompiler::mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                                  unsigned operand, unsigned result) {
  Type from = getElementTypeOrSelf(cluster->getOperand(operand));
  Type to = getElementTypeOrSelf(cluster->getResult(result));
  if (VectorMemory::bytesOf(from) != VectorMemory::bytesOf(to))
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

/// A text that is equal for clusters which compile to the same code.
static std::string keyOf(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  cluster->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  auto print = [&](ArrayRef<BufferLayout> layouts) {
    for (const BufferLayout &layout : layouts) {
      stream << "\n" << layout.alignment << ":";
      llvm::interleaveComma(layout.strides, stream);
    }
  };
  print(buffers.operands);
  print(buffers.results);
  for (std::optional<unsigned> operand : buffers.overwrites)
    stream << "\n" << (operand ? static_cast<int64_t>(*operand) : -1);
  return key;
}

Kernel KernelCompiler::add(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  auto [entry, isNew] = pendingOfKey.try_emplace(keyOf(cluster, buffers), pending.size());
  if (!isNew)
    return pending[entry->second].kernel;
  ClusterPlan plan = ClusterPlan::of(cluster, buffers);
  Pending added;
  added.kernel.symbol = "cluster_" + std::to_string(pending.size());
  added.kernel.units = plan.schedule.numUnits();
  added.kernel.unitBytes = llvm::divideCeil(plan.bytes, std::max<int64_t>(added.kernel.units, 1));
  added.module =
      buildKernelModule(cluster, buffers, plan, {hasAvx512}, cpu.cacheBytes, added.kernel.symbol);
  pending.push_back(std::move(added));
  return pending.back().kernel;
}

FailureOr<SmallVector<char, 0>> KernelCompiler::link() {
  if (pending.empty())
    return Bytes();
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
  return linkSharedObject(objects, pending.front().module->getLoc());
}
