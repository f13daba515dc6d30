// Makes one exec.kernel per distinct cluster.
#include "passes/lowering/bufferize/kernel_table.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace sheaf::lowering {

/// The text of a cluster without locations and names of values from outside: its identity.
static std::string identityOf(graph::ClusterOp cluster) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope().printGenericOpForm().elideLargeElementsAttrs(1 << 30);
  llvm::interleaveComma(cluster.getOperandTypes(), stream);
  for (Operation &op : *cluster.getBodyBlock())
    op.print(stream, flags);
  return text;
}

exec::KernelOp KernelTable::get(graph::ClusterOp cluster) {
  exec::KernelOp &kernel = kernels[identityOf(cluster)];
  if (kernel)
    return kernel;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string name = "kernel_" + std::to_string(kernels.size() - 1);
  kernel = exec::KernelOp::create(builder, cluster.getLoc(), name);
  Block &block = kernel.getBody().emplaceBlock();
  SmallVector<Location> locs(cluster.getOperands().size(), cluster.getLoc());
  block.addArguments(TypeRange(cluster.getOperands()), locs);
  IRMapping mapping;
  mapping.map(cluster.getOperands(), block.getArguments());
  builder.setInsertionPointToEnd(&block);
  builder.clone(*cluster, mapping);
  return kernel;
}

} // namespace sheaf::lowering
