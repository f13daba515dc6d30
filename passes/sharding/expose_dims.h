// Rewrites that keep dims apart.
#ifndef SHEAF_PASSES_SHARDING_EXPOSE_DIMS_H
#define SHEAF_PASSES_SHARDING_EXPOSE_DIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::sharding {

/// Moves reshapes that only merge dims behind products and element-wise ops.
void keepDimsApart(mlir::func::FuncOp function);
/// Makes a product with a weight, of which only slices are used, products with slices of the weight. These
/// are cut one by one, where blocks of the whole would not be blocks of the slices.
void splitSlicedProducts(mlir::func::FuncOp function);

/// Whether every operand and the result have one shape and each element depends on those in its place.
bool isElementwise(mlir::Operation *op);

} // namespace sheaf::sharding

#endif
