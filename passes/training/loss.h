// What is minimized: a number per sample or token, summed and divided by how many count.
#ifndef SHEAF_PASSES_TRAINING_LOSS_H
#define SHEAF_PASSES_TRAINING_LOSS_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/training/loss_form.h"

namespace sheaf::training {

struct LossOptions {
  std::string text; ///< "cross_entropy:logits,labels", as the user writes it
  int64_t ignoreIndex = -100;
  double labelSmoothing = 0.0;
};

/// The loss of one model. The loss of a step is `sum / count` over all micro-batches: a mean of what counts, never a
/// mean of means.
///
///   cross_entropy:LOGITS,LABELS   of each row of an output against its label
///   causal_lm:LOGITS,IDS          the same, against the next id of the same sample; without IDS, of input_ids
///   mse:OUTPUT,TARGET             mean of the squares of all differences
///   output:NAME                   an output of one element; the mean over micro-batches
class Loss {
public:
  /// Errors: at `model`, a text of another form, names or types that do not fit.
  static mlir::FailureOr<Loss> create(mlir::func::FuncOp model, const LossOptions &options);

  /// What data feeds beside the model's inputs: a name, and the type for one micro-batch; none of an empty name.
  llvm::StringRef targetName() const { return newTarget; }
  mlir::RankedTensorType targetType() const { return newTargetType; }
  /// The value of targets that count for nothing; none when all count.
  std::optional<int64_t> padding() const;

  /// The sum of the losses of one micro-batch, a scalar: `results` are the model's, `inputs` its inputs by name and the
  /// target last.
  mlir::Value sum(graph::PrimitiveBuilder &b, mlir::ValueRange results, mlir::Value target) const;
  /// How many are summed: a scalar of the sum's type, from the target of any number of micro-batches.
  mlir::Value count(graph::PrimitiveBuilder &b, mlir::Value target, int64_t numMicroBatches) const;
  /// Whether those are tokens: predictions of classes at several places of a sample.
  bool countsTokens() const;
  /// How many predictions are right, a scalar; null for losses that predict no classes.
  mlir::Value correct(graph::PrimitiveBuilder &b, mlir::ValueRange results,
                      mlir::Value target) const;
  /// The input of the model that is the target, or that it is made of; none when it is fed by itself.
  std::optional<unsigned> targetArgument() const { return modelTarget; }
  /// The labels that the values of `targetArgument`, of one or all micro-batches, stand for.
  mlir::Value targetOf(graph::PrimitiveBuilder &b, mlir::Value value) const;

private:
  mlir::LogicalResult parse(mlir::func::FuncOp model, const LossOptions &options);
  mlir::LogicalResult findTarget(mlir::func::FuncOp model, llvm::StringRef name,
                                 mlir::RankedTensorType wanted);
  mlir::FloatType sumType() const;

  LossKind kind = LossKind::output;
  LossOptions options;
  unsigned output = 0; ///< the result of the model
  mlir::RankedTensorType outputType;
  std::optional<unsigned> modelTarget;
  std::string newTarget;
  mlir::RankedTensorType newTargetType;
};

} // namespace sheaf::training

#endif
