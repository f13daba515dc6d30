// The kernels of a module, one per distinct cluster.
#ifndef SHEAF_PASSES_LOWERING_BUFFERIZE_KERNEL_TABLE_H
#define SHEAF_PASSES_LOWERING_BUFFERIZE_KERNEL_TABLE_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

/// Makes the exec.kernel of each cluster; equal clusters share one.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module) : module(module) {}

  exec::KernelOp get(graph::ClusterOp cluster);

private:
  mlir::ModuleOp module;
  llvm::StringMap<exec::KernelOp> kernels;
};

} // namespace sheaf::lowering

#endif
