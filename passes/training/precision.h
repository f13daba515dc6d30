// Which of a model's values are computed in a narrower type than they are stored in.
#ifndef SHEAF_PASSES_TRAINING_PRECISION_H
#define SHEAF_PASSES_TRAINING_PRECISION_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace sheaf::training {

/// Types by name: f32, bf16 or f16.
struct PrecisionOptions {
  std::string compute =
      "f32"; ///< what the model is computed in; also fp8: bf16 with products of 8-bit floats
  std::string reduce = "f32"; ///< what gradients are added up in, by ranks and over micro-batches
  std::string state = "f32";  ///< what optimizers keep, f32 or bf16
  std::string parameter = "f32"; ///< what parameters are kept in
  bool keepsMaster = false;      ///< parameters in f32 beside them, which optimizers update
};

/// The types of `PrecisionOptions`; null where it is f32. They are for what is f32 in the model: wider is left alone.
struct StepPrecision {
  mlir::Type compute, reduce, state, parameter;
  bool keepsMaster = false;
  bool hasNarrowProducts = false; ///< as narrow_products.h has them

  /// Errors: through `emitError`, an unknown type, types that don't go together, a choice without effect.
  static mlir::FailureOr<StepPrecision>
  create(mlir::MLIRContext *context, const PrecisionOptions &options,
         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
};

/// `value`, or what is of `type`, in the type `narrow`, if there is one and it is of f32.
mlir::Value narrowedTo(graph::PrimitiveBuilder &b, mlir::Value value, mlir::Type narrow);
mlir::RankedTensorType narrowedTo(mlir::RankedTensorType type, mlir::Type narrow);
/// `value` as `narrowedTo` has it, but each rank rounds its part of it before ranks add them up.
mlir::Value partsNarrowedTo(graph::PrimitiveBuilder &b, mlir::Value value, mlir::Type narrow);
/// `value` in f32 or wider, after ranks have added up what they hold of it.
mlir::Value sumWidened(graph::PrimitiveBuilder &b, mlir::Value value);

/// What depends on parameters that are trained, or on floats that data feeds together with them, is computed in the
/// narrow type; what does not (positions, masks, rotary tables) stays as it is. Norms, softmax and products accumulate
/// in f32 by themselves. Wider than f32 is left alone.
class ModelPrecision {
public:
  /// Without a narrow `precision.compute` nothing changes. `trained` are arguments of the model.
  ModelPrecision(mlir::func::FuncOp model, const StepPrecision &precision,
                 llvm::ArrayRef<unsigned> trained);

  /// Whether the parameter that is argument `index` is used by narrow ops alone: it is rounded where it is stored, so
  /// that what ranks gather is narrow.
  bool isNarrow(unsigned index) const { return narrowArguments.contains(index); }
  /// What that parameter, of `type` in the model, is kept in.
  mlir::RankedTensorType keptType(unsigned index, mlir::RankedTensorType type) const {
    return isNarrow(index) ? narrowedTo(type, parameter) : type;
  }
  /// `value` in the narrow type, if it is of f32.
  mlir::Value narrowed(graph::PrimitiveBuilder &b, mlir::Value value) const {
    return narrowedTo(b, value, narrow);
  }
  /// Copies an op of the model, in the type that it is to be computed in.
  void clone(mlir::OpBuilder &builder, mlir::Operation *op, mlir::IRMapping &mapping) const;

private:
  bool isMoving(mlir::Operation *op) const;

  mlir::Type narrow, parameter;
  llvm::DenseSet<mlir::Value> moving; ///< of the model
  llvm::DenseSet<unsigned> narrowArguments;
};

} // namespace sheaf::training

#endif
