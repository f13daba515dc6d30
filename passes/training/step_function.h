// A function that runs a model on micro-batches.
#ifndef SHEAF_PASSES_TRAINING_STEP_FUNCTION_H
#define SHEAF_PASSES_TRAINING_STEP_FUNCTION_H

#include "mlir/IR/IRMapping.h"
#include "passes/training/loss.h"
#include "passes/training/precision.h"

namespace sheaf::training {

/// The state of a step that counts steps, from 0.
inline constexpr llvm::StringLiteral kStepCount("optimizer.step");

/// Behind the name of a parameter: it in full precision.
inline constexpr llvm::StringLiteral kMaster(".master");

/// What a model makes of a micro-batch.
struct MicroBatch {
  mlir::Value lossSum;
  mlir::Value target;                     ///< labels; null when the loss has none
  llvm::SmallVector<mlir::Value> results; ///< of the model
  llvm::SmallVector<mlir::Value>
      weights;             ///< per argument of the model, the parameter as it computes with it
  mlir::IRMapping mapping; ///< from the model's values
};

/// A program that takes a model's parameters and inputs of `microBatches` micro-batches, while it is built. Its block
/// ends with a return.
class StepFunction {
public:
  /// Behind `model`, with its arguments and the target of `loss`; all given must outlive it.
  StepFunction(mlir::func::FuncOp model, llvm::StringRef name, const Loss &loss,
               const ModelPrecision &precision, int64_t microBatches);

  mlir::func::FuncOp function() { return built; }
  mlir::Block &block() { return built.getBody().front(); }
  mlir::Value argument(unsigned ofModel) { return block().getArgument(ofModel); }

  /// Adds a state with a first value, the same at every place; of a parameter, or of the step.
  mlir::Value addState(const mlir::Twine &name, mlir::RankedTensorType type, double initial,
                       llvm::StringRef ofParameter = {});
  /// The state "<parameter>.master": argument `ofModel` as the model has it, with its first value.
  mlir::Value addMaster(unsigned ofModel, llvm::StringRef parameter) {
    return addState(llvm::Twine(parameter) + kMaster, graph::typeOf(model.getArgument(ofModel)),
                    model.getArgAttr(ofModel, graph::kSource), parameter);
  }

  /// The state `kStepCount`, an i64 of rank 0: steps that counted before this one.
  mlir::Value stepCount();

  /// The model computes with `weight` in place of an argument of its.
  void replace(unsigned ofModel, mlir::Value weight) { replaced[ofModel] = weight; }

  /// What data feeds as labels, for all micro-batches; null when the loss has none.
  mlir::Value targets(graph::PrimitiveBuilder &b);
  /// The model on micro-batch `index`, or on the only one when it is null. With `dropsOut` its dropouts draw a mask for
  /// each micro-batch of each step, else they keep everything.
  MicroBatch build(mlir::OpBuilder &builder, mlir::Value index, bool dropsOut);

  void addOutput(llvm::StringRef name, mlir::Value value) {
    addResult(graph::kOutput, name, value);
  }
  void addUpdate(llvm::StringRef name, mlir::Value value) {
    addResult(graph::kUpdate, name, value);
  }

private:
  /// Without a `source` the program "prepare" gives the first value.
  mlir::Value addState(const llvm::Twine &name, mlir::RankedTensorType type, mlir::Attribute source,
                       llvm::StringRef ofParameter);
  void addResult(llvm::StringRef role, llvm::StringRef name, mlir::Value value);
  mlir::DictionaryAttr attributesOf(unsigned argument);
  /// The number of micro-batch `index` among those of all steps, as dropouts count.
  mlir::Value microBatchNumber(graph::PrimitiveBuilder &b, mlir::Value index);
  /// Micro-batch `index` of an argument; null is the only one.
  mlir::Value take(graph::PrimitiveBuilder &b, mlir::Value whole, mlir::Value index);

  mlir::func::FuncOp model, built;
  const Loss &loss;
  const ModelPrecision &precision;
  int64_t microBatches;
  std::optional<unsigned> newTarget; ///< argument
  mlir::Value steps;                 ///< null until it is needed
  llvm::DenseMap<unsigned, mlir::Value> replaced;
};

} // namespace sheaf::training

#endif
