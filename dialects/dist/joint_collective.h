// Several collectives of one class as one.
#ifndef SHEAF_DIALECTS_DIST_JOINT_COLLECTIVE_H
#define SHEAF_DIALECTS_DIST_JOINT_COLLECTIVE_H

#include "dialects/dist/dist.h"

namespace sheaf::dist {

/// Whether both are the same collective over the same axes, of one element type.
bool mayJoinCollectives(mlir::Operation *op, mlir::Operation *other);

/// What `ops` do, which may join, on `operands`. What the attributes say of each tensor is kept.
mlir::Operation *joinCollectives(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Operation *> ops,
                                 mlir::ValueRange operands);

} // namespace sheaf::dist

#endif
