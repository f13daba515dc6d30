// Products with weights, and where dims of values go: what rules and strategies look for in a graph.
#ifndef SHEAF_PASSES_SHARDING_WEIGHT_USE_H
#define SHEAF_PASSES_SHARDING_WEIGHT_USE_H

#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/annotator.h"
#include "llvm/ADT/DenseSet.h"

namespace sheaf::sharding {

/// Values of a function that are known before it runs: computed from parameters and constants only.
class Weights {
public:
  explicit Weights(mlir::func::FuncOp function);
  bool contains(mlir::Value value) const;

private:
  llvm::DenseSet<mlir::Value> values;
};

/// A product of an activation with a weight.
struct WeightProduct {
  graph::ContractOp op;
  bool isWeightLhs = false;

  /// None when both or neither of the operands are weights.
  static std::optional<WeightProduct> of(graph::ContractOp op, const Weights &weights);

  mlir::Value weight() { return op->getOperand(isWeightLhs ? 0 : 1); }
  mlir::OpOperand &activation() { return op->getOpOperand(isWeightLhs ? 1 : 0); }
  /// The dims of the result that the weight adds.
  llvm::SmallVector<unsigned> columns();
  /// The dim of the weight that is summed along `activationDim`; none if that isn't summed over.
  std::optional<unsigned> rowOf(unsigned activationDim);
  /// The dims of the weight that are summed over.
  llvm::ArrayRef<int64_t> rows();
};

/// Cuts what the product adds to its result: its first dim.
void cutColumns(Annotator &annotator, WeightProduct product, dist::AxisListRef axes);
/// Cuts what the product sums over: the first such dim.
void cutRows(Annotator &annotator, WeightProduct product, dist::AxisListRef axes);

/// Keeps parameters of which ops read slices, such as queries, keys and values in one, whole along the sliced
/// dims: blocks of the whole are not blocks of the slices, so these are cut one by one.
void keepSlicedWhole(mlir::func::FuncOp function, Annotator &annotator);

/// Calls `visit` with each use, and the dim there, that elements along dim `dim` of `value` get to through
/// ops that touch every element in place. There the dim may be the major part of a larger one.
void followDim(mlir::Value value, unsigned dim,
               llvm::function_ref<void(mlir::OpOperand &use, unsigned dim)> visit);

/// Calls `visit` with each op, and the dim of its result, from which elements along dim `dim` of `value` come through
/// ops that pass it on, as far as it returns true. Not followed are weights, and dims of several factors.
void visitBefore(mlir::Value value, unsigned dim, const Weights &weights,
                 llvm::function_ref<bool(mlir::Operation *op, unsigned dim)> visit);

/// The products with weights whose columns become dim `dim` of `value`, or whose columns' major part does,
/// through ops that pass it on.
llvm::SmallVector<WeightProduct> productsBefore(mlir::Value value, unsigned dim,
                                                const Weights &weights);

} // namespace sheaf::sharding

#endif
