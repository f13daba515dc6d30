// Which of a model's values are computed in a narrower type than they are stored in.
#ifndef SHEAF_PASSES_TRAINING_PRECISION_H
#define SHEAF_PASSES_TRAINING_PRECISION_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace sheaf::training {

/// What depends on parameters that are trained, or on floats that data feeds together with them, is computed in the
/// narrow type; what does not (positions, masks, rotary tables) stays as it is. Norms, softmax and products accumulate
/// in f32 by themselves. Wider than f32 is left alone.
class ModelPrecision {
public:
  /// Without a `narrow` type nothing changes. `trained` are arguments of the model.
  ModelPrecision(mlir::func::FuncOp model, mlir::Type narrow, llvm::ArrayRef<unsigned> trained);

  /// Whether the parameter that is argument `index` is used by narrow ops alone: it is rounded where it is stored, so
  /// that what ranks gather is narrow.
  bool isNarrow(unsigned index) const { return narrowArguments.contains(index); }
  /// `value` in the narrow type, if it is of f32.
  mlir::Value narrowed(graph::PrimitiveBuilder &b, mlir::Value value) const;
  /// Copies an op of the model, in the type that it is to be computed in.
  void clone(mlir::OpBuilder &builder, mlir::Operation *op, mlir::IRMapping &mapping) const;

private:
  bool isMoving(mlir::Operation *op) const;

  mlir::Type narrow;
  llvm::DenseSet<mlir::Value> moving; ///< of the model
  llvm::DenseSet<unsigned> narrowArguments;
};

} // namespace sheaf::training

#endif
