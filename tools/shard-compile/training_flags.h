// The flags of shard-compile that ask for a training step.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_TRAINING_FLAGS_H
#define SHEAF_TOOLS_SHARD_COMPILE_TRAINING_FLAGS_H

#include "passes/sharding/passes.h"
#include "passes/training/passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace sheaf::compile {

/// Registers the flags in `category`.
struct TrainingFlags {
  explicit TrainingFlags(llvm::cl::OptionCategory &category);

  /// What they ask for; none without --train. Errors: a flag that has no effect without it, or no loss with it.
  llvm::Expected<std::optional<training::TrainingBuildStepPassOptions>> options() const;

  /// "GLOB=RATIO" of each --dropout.
  llvm::ArrayRef<std::string> dropouts() const { return dropout; }

  /// How the layout among the strategies stores the step. Errors: several layouts, one without --train, flags
  /// without effect.
  llvm::Expected<sharding::ShardingStorePassOptions> store(llvm::ArrayRef<std::string> strategies,
                                                           bool trains) const;

private:
  llvm::cl::opt<bool> isTraining;
  llvm::cl::opt<std::string> loss;
  llvm::cl::opt<int64_t> ignoreIndex;
  llvm::cl::opt<double> labelSmoothing;
  llvm::cl::opt<std::string> optimizer;
  llvm::cl::opt<double> learningRate;
  llvm::cl::list<double> betas;
  llvm::cl::opt<double> epsilon;
  llvm::cl::opt<double> momentum;
  llvm::cl::opt<bool> isNesterov;
  llvm::cl::opt<bool> isRelative;
  llvm::cl::list<std::string> adamwFor;
  llvm::cl::list<std::string> initializers;
  llvm::cl::list<std::string> lrScales;
  llvm::cl::list<std::string> dropout;
  llvm::cl::opt<double> ema;
  llvm::cl::opt<bool> evaluatesEma;
  llvm::cl::opt<double> weightDecay;
  llvm::cl::list<std::string> noDecay;
  llvm::cl::list<std::string> frozen;
  llvm::cl::opt<std::string> precision;
  llvm::cl::opt<std::string> reduceType;
  llvm::cl::opt<std::string> stateType;
  llvm::cl::opt<std::string> parameterType;
  llvm::cl::opt<bool> keepsMaster;
  llvm::cl::opt<double> lossScale;
  llvm::cl::opt<int64_t> scaleInterval;
  llvm::cl::opt<double> clipNorm;
  llvm::cl::opt<int64_t> microBatches;
  llvm::cl::opt<std::string> schedule;
  llvm::cl::opt<int64_t> warmup;
  llvm::cl::opt<int64_t> scheduleSteps;
  llvm::cl::opt<int64_t> decaySteps;
  llvm::cl::opt<double> finalRate;
  llvm::cl::opt<bool> keepsGathered;
  llvm::cl::opt<bool> defersReduction;
  llvm::cl::opt<int64_t> threshold;
};

} // namespace sheaf::compile

#endif
