// Row-major layouts, what kernels of any target are made of, and which clusters share one.
#include "passes/lowering/kernel/kernel_compiler.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "passes/lowering/kernel/cluster_profile.h"

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

Kernel KernelCompiler::add(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  auto [entry, isNew] = pendingOfKey.try_emplace(identityOf(cluster, buffers), pending.size());
  if (isNew) {
    std::string symbol = "cluster_" + std::to_string(pending.size());
    pending.push_back(build(cluster, buffers, symbol));
    pending.back().kernel.symbol = std::move(symbol);
  }
  return pending[entry->second].kernel;
}
