// The flags of shard-compile that ask for a training step.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_TRAINING_FLAGS_H
#define SHEAF_TOOLS_SHARD_COMPILE_TRAINING_FLAGS_H

#include "passes/sharding/passes.h"
#include "passes/training/passes.h"
#include "tools/shard-compile/flag.h"
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

  /// How the layout among the strategies stores the step. Errors: several layouts, one beside dp or without --train,
  /// flags without effect.
  llvm::Expected<sharding::ShardingStorePassOptions>
  store(const llvm::cl::list<std::string> &strategies) const;

private:
  llvm::cl::opt<bool> isTraining;
  llvm::cl::opt<std::string> loss;
  CountFlag ignoreIndex;
  NumberFlag labelSmoothing;
  llvm::cl::opt<std::string> optimizer;
  NumberFlag learningRate;
  NumbersFlag betas;
  NumberFlag epsilon;
  NumberFlag momentum;
  llvm::cl::opt<bool> isNesterov;
  llvm::cl::opt<bool> isRelative;
  llvm::cl::list<std::string> adamwFor;
  llvm::cl::list<std::string> initializers;
  llvm::cl::list<std::string> lrScales;
  llvm::cl::list<std::string> dropout;
  NumberFlag ema;
  llvm::cl::opt<bool> evaluatesEma;
  NumberFlag weightDecay;
  llvm::cl::list<std::string> noDecay;
  llvm::cl::list<std::string> frozen;
  llvm::cl::opt<std::string> precision;
  llvm::cl::opt<std::string> reduceType;
  llvm::cl::opt<std::string> stateType;
  llvm::cl::opt<std::string> parameterType;
  llvm::cl::opt<bool> keepsMaster;
  NumberFlag lossScale;
  CountFlag scaleInterval;
  NumberFlag clipNorm;
  CountFlag microBatches;
  llvm::cl::opt<std::string> schedule;
  CountFlag warmup;
  CountFlag scheduleSteps;
  CountFlag decaySteps;
  NumberFlag finalRate;
  llvm::cl::opt<bool> keepsGathered;
  llvm::cl::opt<bool> defersReduction;
  CountFlag threshold;
};

} // namespace sheaf::compile

#endif
