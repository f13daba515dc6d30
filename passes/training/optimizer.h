// What turns gradients into new parameters.
#ifndef SHEAF_PASSES_TRAINING_OPTIMIZER_H
#define SHEAF_PASSES_TRAINING_OPTIMIZER_H

#include "dialects/graph/primitive_builder.h"
#include <memory>
#include <string>

namespace sheaf::training {

/// What an optimizer keeps of a parameter from step to step.
struct Slot {
  std::string name; ///< the state is named "<parameter>.<name>"
  mlir::RankedTensorType type;
  double initial = 0.0; ///< at every place
};

/// The step of one parameter. Scalars are of rank 0.
struct ParameterStep {
  mlir::Value parameter, gradient;      ///< of one type: f32, or f64 where the parameter is
  llvm::SmallVector<mlir::Value> slots; ///< as `Optimizer::slotsOf` lists them
  mlir::Value learningRate;             ///< f64
  mlir::Value step;                     ///< f64: 1 in the first step
  double weightDecay = 0.0;
};

struct NewParameter {
  mlir::Value parameter;
  llvm::SmallVector<mlir::Value> slots;
};

/// Hyperparameters; those without a value are of the optimizer's paper.
struct OptimizerOptions {
  std::string kind; ///< "adamw"
  std::optional<double> momentum, beta1, beta2, epsilon;
  bool isNesterov = false;
  bool isRelative = false; ///< Steps are in units of the parameter's size.
};

/// A rule of update, built from primitive ops: its clusters become one kernel per parameter.
class Optimizer {
public:
  virtual ~Optimizer();

  virtual llvm::SmallVector<Slot> slotsOf(mlir::RankedTensorType parameter) const = 0;
  virtual NewParameter update(graph::PrimitiveBuilder &b, const ParameterStep &step) const = 0;

  /// Updates the parameters that this one is not for; null where it is for all.
  virtual const Optimizer *other() const { return nullptr; }
  virtual bool isFor(mlir::RankedTensorType) const { return true; }

  /// Errors: through `emitError`, a kind that there is not (lists those there are), an option without effect or out of
  /// its range.
  static std::unique_ptr<Optimizer>
  create(const OptimizerOptions &options, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
};

/// Makes one kind, of options that have been checked.
using OptimizerFactory = std::unique_ptr<Optimizer> (*)(const OptimizerOptions &options);

std::unique_ptr<Optimizer> createSgd(const OptimizerOptions &options);
std::unique_ptr<Optimizer> createAdam(const OptimizerOptions &options);
std::unique_ptr<Optimizer> createAdafactor(const OptimizerOptions &options);
std::unique_ptr<Optimizer> createLion(const OptimizerOptions &options);
std::unique_ptr<Optimizer> createMuon(const OptimizerOptions &options);

/// The scalar `value`, of any float type, at every place of a tensor like `like`.
mlir::Value spreadLike(graph::PrimitiveBuilder &b, mlir::Value value, mlir::Value like);
/// `beta old + (1 - beta) value`.
mlir::Value mix(graph::PrimitiveBuilder &b, mlir::Value old, double beta, mlir::Value value);
/// The parameter after decoupled weight decay (Loshchilov and Hutter 2019): times `1 - rate decay`.
mlir::Value decayed(graph::PrimitiveBuilder &b, const ParameterStep &step);

} // namespace sheaf::training

#endif
