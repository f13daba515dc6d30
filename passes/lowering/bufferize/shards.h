// What programs of several ranks say about their mesh and how values are cut over it.
#ifndef SHEAF_PASSES_LOWERING_BUFFERIZE_SHARDS_H
#define SHEAF_PASSES_LOWERING_BUFFERIZE_SHARDS_H

#include "dialects/dist/dist.h"
#include "dialects/exec/exec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::lowering {

/// How argument or result `index` lies in the whole value; null when the function is not of several
/// ranks. Values that no axis cuts have a shard without cuts.
exec::ShardAttr argumentShard(mlir::func::FuncOp function, unsigned index);
exec::ShardAttr resultShard(mlir::func::FuncOp function, unsigned index);

/// Puts the mesh of the functions, if they have one, where `builder` is. Errors: they have several; what a function
/// takes or gives is partial.
llvm::LogicalResult createMesh(mlir::OpBuilder builder,
                               llvm::ArrayRef<mlir::func::FuncOp> functions);

} // namespace sheaf::lowering

#endif
