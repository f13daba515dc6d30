// Makes a training step and an evaluation of a model.
#include "passes/training/passes.h"
#include "passes/training/step_builder.h"

namespace sheaf::training {
#define GEN_PASS_DEF_TRAININGBUILDSTEPPASS
#include "passes/training/passes.h.inc"
} // namespace sheaf::training

using namespace mlir;
using namespace sheaf;

namespace {

struct BuildStep : training::impl::TrainingBuildStepPassBase<BuildStep> {
  using TrainingBuildStepPassBase::TrainingBuildStepPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    if (functions.size() != 1 || !functions.front().getBody().hasOneBlock()) {
      getOperation().emitError() << "has " << functions.size()
                                 << " functions; a step is made of one, of one block";
      return signalPassFailure();
    }
    FailureOr<training::StepOptions> options = stepOptions(functions.front());
    if (failed(options) || failed(training::buildStep(functions.front(), *options)))
      signalPassFailure();
  }

private:
  FailureOr<training::StepOptions> stepOptions(func::FuncOp model) {
    training::StepOptions options;
    options.loss = {loss, ignoreIndex, labelSmoothing};
    options.optimizer.kind = optimizer;
    if (!betas.empty() && betas.size() != 2)
      return model.emitError() << "betas are two numbers, found " << betas.size();
    if (!betas.empty()) {
      options.optimizer.beta1 = betas[0];
      options.optimizer.beta2 = betas[1];
    }
    if (epsilon.size() > 1 || momentum.size() > 1)
      return model.emitError() << (epsilon.size() > 1 ? "eps" : "momentum") << " is one number";
    if (!epsilon.empty())
      options.optimizer.epsilon = epsilon[0];
    if (!momentum.empty())
      options.optimizer.momentum = momentum[0];
    options.optimizer.isNesterov = isNesterov;
    options.optimizer.isRelative = isRelative;
    options.schedule = {schedule, learningRate, warmup, scheduleSteps, decaySteps, finalRate};
    options.weightDecay = weightDecay;
    options.parameters.noDecay.assign(noDecay.begin(), noDecay.end());
    options.parameters.frozen.assign(frozen.begin(), frozen.end());
    options.parameters.adamwFor.assign(adamwFor.begin(), adamwFor.end());
    options.parameters.rates.assign(lrScales.begin(), lrScales.end());
    options.initializers.assign(initializers.begin(), initializers.end());
    options.average = ema;
    options.evaluatesAverage = evaluatesEma;
    options.precision = {compute, reduceType, stateType, parameterType, masterWeights};
    options.scale = {lossScale, scaleInterval};
    options.clipNorm = clipNorm;
    options.microBatches = microBatches;
    return options;
  }
};

} // namespace
