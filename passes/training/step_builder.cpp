// Builds the training step, gradients over micro-batches first, and the evaluation.
#include "passes/training/step_builder.h"

#include "dialects/support/stored_size.h"
#include "mlir/IR/Matchers.h"
#include "passes/training/first_values.h"
#include "passes/training/model_names.h"
#include "passes/training/narrow_products.h"
#include "passes/training/option_range.h"
#include "passes/training/reverse_sweep.h"
#include "passes/training/step_updates.h"
#include "passes/training/weight_average.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

class StepBuilder {
public:
  StepBuilder(func::FuncOp model, const StepOptions &options, const Loss &loss)
      : model(model), options(options), loss(loss) {}

  LogicalResult check(const Optimizer &optimizer);
  LogicalResult build() {
    auto arguments = llvm::map_to_vector(
        trained.parameters, [](const TrainedParameter &parameter) { return parameter.argument; });
    ModelPrecision narrow(model, precision, arguments);
    if (failed(buildTrainStep(narrow)))
      return failure();
    buildEvaluation(narrow);
    return success();
  }

private:
  LogicalResult buildTrainStep(const ModelPrecision &narrow);
  void buildEvaluation(const ModelPrecision &narrow);
  LogicalResult checkPrecision();
  LogicalResult checkInputs();
  LogicalResult checkMicroBatches();

  /// What accumulates: the mean loss, and the gradient of each trained parameter in the type that it is reduced in.
  /// `running` are the running statistics and become those after the micro-batch.
  FailureOr<SmallVector<Value>> buildGradientsOf(StepFunction &step, Value index, Block &block,
                                                 Value count, MutableArrayRef<Value> running);
  /// What has accumulated, and then the running statistics: of one micro-batch, of many.
  FailureOr<SmallVector<Value>> buildOnly(StepFunction &step, Value count);
  FailureOr<SmallVector<Value>> buildLoop(StepFunction &step, Value count);
  SmallVector<Value> runningBefore(StepFunction &step, PrimitiveBuilder &b);

  func::FuncOp model;
  MLIRContext *context = model.getContext();
  const StepOptions &options;
  const Loss &loss;
  TrainedValues trained;
  std::vector<Initializer> initializers;
  StepPrecision precision;
  Value lossScale; ///< of the step that is being built; null without one
};

LogicalResult StepBuilder::checkInputs() {
  std::optional<int64_t> batch;
  for (unsigned argument : llvm::seq(model.getNumArguments())) {
    if (!model.getArgAttr(argument, kInput))
      continue;
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[argument]);
    if (type.getRank() == 0 || (batch && type.getDimSize(0) != *batch))
      return model.emitError() << "input \"" << argumentName(model, argument) << "\" of type "
                               << type
                               << " has no dim 0 of samples as the first input has; fix it by "
                                  "--constant or --feed";
    batch = type.getDimSize(0);
  }
  return success();
}

LogicalResult StepBuilder::checkPrecision() {
  auto found = StepPrecision::create(context, options.precision, [&] { return model.emitError(); });
  if (failed(found))
    return failure();
  precision = *found;
  StringRef compute = options.precision.compute;
  if (options.scale.initial != 0.0 && compute != "f16")
    return model.emitError() << "a loss scale is for f16; " << compute
                             << " has the exponents that gradients need";
  if (compute != "f16")
    return success();
  if (options.scale.initial <= 0.0)
    return model.emitError() << "loss-scale must be positive, found " << options.scale.initial;
  if (options.scale.interval < 1)
    return model.emitError() << "loss-scale-interval must be positive, found "
                             << options.scale.interval;
  return checkSize("loss-scale", options.scale.initial, [&] { return model.emitError(); });
}

LogicalResult StepBuilder::checkMicroBatches() {
  constexpr int64_t most =
      1 << 20; // An executable may run its parts twice as often (runtime/abi/part_limits.h).
  if (options.microBatches < 1 || options.microBatches > most)
    return model.emitError() << "micro-batches must be from 1 to " << most << ", found "
                             << options.microBatches;
  auto check = [&](StringRef name, RankedTensorType type) -> LogicalResult {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), options.microBatches);
    // Whatever it is kept in, it may be counted in integers or floats of 8 bytes.
    if (memoryBytes(RankedTensorType::get(shape, IntegerType::get(context, 64))))
      return success();
    return model.emitError() << options.microBatches << " micro-batches of \"" << name
                             << "\", each of type " << type << ", are more than 64 bits can count";
  };
  for (unsigned argument : llvm::seq(model.getNumArguments()))
    if (model.getArgAttr(argument, kInput) &&
        failed(check(argumentName(model, argument),
                     cast<RankedTensorType>(model.getArgumentTypes()[argument]))))
      return failure();
  return loss.targetName().empty() ? success() : check(loss.targetName(), loss.targetType());
}

LogicalResult StepBuilder::check(const Optimizer &optimizer) {
  auto emitError = [&] { return model.emitError(); };
  if (failed(checkSize("clip-norm", options.clipNorm, emitError)) ||
      failed(checkSize("weight-decay", options.weightDecay, emitError)) ||
      failed(checkDecay("ema", options.average, emitError)))
    return failure();
  if (options.weightDecay == 0.0 && !options.parameters.noDecay.empty())
    return model.emitError() << "parameters without decay are named, but nothing decays";
  if (options.evaluatesAverage && options.average == 0.0)
    return model.emitError() << "eval-ema has no effect without ema";
  if (failed(checkSchedule(options.schedule, emitError)) || failed(checkPrecision()) ||
      failed(checkInputs()) || failed(checkMicroBatches()))
    return failure();
  auto found = findTrainedValues(model, options.parameters, optimizer);
  if (failed(found))
    return failure();
  trained = std::move(*found);
  auto initialized = findInitializers(model, options.initializers);
  if (failed(initialized))
    return failure();
  initializers = std::move(*initialized);
  for (const Initializer &initializer : initializers) // The model's values are of no use.
    model.removeArgAttr(initializer.argument, kSource);
  return success();
}

FailureOr<SmallVector<Value>> StepBuilder::buildGradientsOf(StepFunction &step, Value index,
                                                            Block &block, Value count,
                                                            MutableArrayRef<Value> running) {
  OpBuilder builder(block.getTerminator());
  MicroBatch batch = step.build(builder, index, /*dropsOut=*/true);
  trained.statistics.apply(batch.mapping, running);
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  // All labels may be ones that do not count.
  Value mean = b.binary(BinaryKind::div, batch.lossSum, b.binary(BinaryKind::max, count, 1.0));
  Value minimized =
      lossScale ? b.binary(BinaryKind::mul, mean, b.cast(lossScale, typeOf(mean).getElementType()))
                : mean;
  minimized = dist::MarkOp::create(b, dist::MarkKind::loss, minimized, StringAttr());
  SmallVector<Value> parameters;
  for (const TrainedParameter &parameter : trained.parameters)
    parameters.push_back(batch.weights[parameter.argument]);
  std::optional<NarrowProducts> narrowProducts;
  if (precision.hasNarrowProducts)
    narrowProducts.emplace(block, parameters);
  if (narrowProducts && narrowProducts->isEmpty())
    return model.emitError()
           << "precision fp8 has no effect: there is no product with a weight of extents that are "
              "multiples of 16 and with another product with a weight behind it; use bf16";
  FailureOr<SmallVector<Value>> gradients = buildGradients(block, minimized, parameters);
  if (failed(gradients))
    return failure();
  if (llvm::all_of(*gradients,
                   [](Value gradient) { return matchPattern(gradient, m_AnyZeroFloat()); }))
    return model.emitError()
           << "nothing to train: the loss depends on no parameter that is trained";
  if (narrowProducts)
    narrowProducts->apply();
  builder.setInsertionPoint(block.getTerminator());
  SmallVector<Value> results = {mean};
  for (auto [parameter, gradient] : llvm::zip_equal(trained.parameters, *gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    Value part = partsNarrowedTo(named, widened(named, gradient), precision.reduce);
    if (index)
      part = mark(named, dist::MarkKind::gradientPart, part, parameter);
    results.push_back(part);
  }
  return results;
}

/// The running statistics before the step, in their compute types.
SmallVector<Value> StepBuilder::runningBefore(StepFunction &step, PrimitiveBuilder &b) {
  return llvm::map_to_vector(trained.statistics.arguments(), [&](unsigned argument) {
    Value value = step.argument(argument);
    return b.cast(value, computeTypeOf(typeOf(value).getElementType()));
  });
}

FailureOr<SmallVector<Value>> StepBuilder::buildOnly(StepFunction &step, Value count) {
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("running statistics")), builder);
  SmallVector<Value> running = runningBefore(step, b);
  auto parts = buildGradientsOf(step, {}, step.block(), count, running);
  if (succeeded(parts))
    llvm::append_range(*parts, running);
  return parts;
}

FailureOr<SmallVector<Value>> StepBuilder::buildLoop(StepFunction &step, Value count) {
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("micro-batches")), builder);
  SmallVector<Value> inits = {b.splatLike(count, 0.0)};
  // What they are of names the variables that carry them.
  SmallVector<Location> names = {NameLoc::get(b.getStringAttr("loss"))};
  for (const TrainedParameter &parameter : trained.parameters) {
    names.push_back(NameLoc::get(b.getStringAttr(parameter.name)));
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[parameter.argument]);
    type = type.clone(computeTypeOf(type.getElementType()));
    inits.push_back(b.splat(narrowedTo(type, precision.reduce), 0.0));
  }
  llvm::append_range(inits, runningBefore(step, b));
  for (unsigned argument : trained.statistics.arguments())
    names.push_back(NameLoc::get(b.getStringAttr(argumentName(model, argument))));
  OperationState state(b.getLoc(), LoopOp::getOperationName());
  LoopOp::build(b, state, TypeRange(ValueRange(inits)), options.microBatches, inits);
  auto loop = cast<LoopOp>(builder.create(state));
  Block &body = loop.getBody().emplaceBlock();
  body.addArgument(RankedTensorType::get({}, b.getI64Type()), b.getLoc());
  for (auto [init, name] : llvm::zip_equal(inits, names))
    body.addArgument(init.getType(), name);
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, b.getLoc(), ValueRange(body.getArguments().drop_front()));
  SmallVector<Value> running(body.getArguments().take_back(trained.statistics.arguments().size()));
  auto parts = buildGradientsOf(step, body.getArgument(0), body, count, running);
  if (failed(parts))
    return failure();
  builder.setInsertionPoint(body.getTerminator());
  for (auto [index, part] : llvm::enumerate(*parts)) {
    PrimitiveBuilder named(part.getLoc(), builder);
    Value sum = named.binary(BinaryKind::add, body.getArgument(index + 1), part);
    body.getTerminator()->setOperand(index, sum);
  }
  for (auto [index, value] : llvm::enumerate(running))
    body.getTerminator()->setOperand(parts->size() + index, value);
  return SmallVector<Value>(loop.getResults());
}

/// States are named after parameters, so a parameter may have the name of one.
static LogicalResult checkNames(func::FuncOp step) {
  llvm::StringSet<> names;
  for (unsigned argument : llvm::seq(step.getNumArguments()))
    if (StringRef name = argumentName(step, argument); !name.empty() && !names.insert(name).second)
      return step.emitError()
             << "\"" << name
             << "\" is the name of two values of the step: of a parameter or input of "
                "the model, and of a state or label; rename that in the model";
  return success();
}

LogicalResult StepBuilder::buildTrainStep(const ModelPrecision &narrow) {
  StepFunction step(model, "train_step", loss, narrow, options.microBatches);
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  if (options.scale.initial > 0.0)
    lossScale = step.addState("optimizer.loss_scale", RankedTensorType::get({}, b.getF32Type()),
                              options.scale.initial);
  Value count = loss.count(b, step.targets(b), options.microBatches);
  auto parts = options.microBatches == 1 ? buildOnly(step, count) : buildLoop(step, count);
  if (failed(parts))
    return failure();
  step.addOutput("loss", parts->front());
  step.addOutput(loss.countsTokens() ? "tokens" : "count", count);
  ArrayRef<Value> rest = ArrayRef(*parts).drop_front();
  size_t numGradients = trained.parameters.size();
  StepUpdates(step, options, trained, precision, lossScale)
      .build(rest.take_front(numGradients), rest.drop_front(numGradients));
  buildFirstValues(model, step.function(), initializers);
  return checkNames(step.function());
}

void StepBuilder::buildEvaluation(const ModelPrecision &narrow) {
  StepFunction evaluation(model, "eval", loss, narrow, /*microBatches=*/1);
  OpBuilder builder(evaluation.block().getTerminator());
  if (options.evaluatesAverage)
    takeAverages(evaluation, trained.parameters);
  MicroBatch batch = evaluation.build(builder, {}, /*dropsOut=*/false);
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  Value count = loss.count(b, batch.target, /*numMicroBatches=*/1);
  evaluation.addOutput(
      "loss", b.binary(BinaryKind::div, batch.lossSum, b.binary(BinaryKind::max, count, 1.0)));
  evaluation.addOutput("count", count);
  if (Value correct = loss.correct(b, batch.results, batch.target))
    evaluation.addOutput("correct", correct);
}

} // namespace

/// An input with a default is a weight, as exporters of IR version 3 list them: data does not feed it.
static void adoptDefaults(func::FuncOp model) {
  for (unsigned argument : llvm::seq(model.getNumArguments()))
    if (Attribute name = model.getArgAttr(argument, kInput);
        name && model.getArgAttr(argument, kSource)) {
      model.removeArgAttr(argument, kInput);
      model.setArgAttr(argument, kParameter, name);
    }
}

LogicalResult buildStep(func::FuncOp model, const StepOptions &options) {
  adoptDefaults(model);
  FailureOr<Loss> loss = Loss::create(model, options.loss);
  if (failed(loss))
    return failure();
  StepBuilder builder(model, options, *loss);
  std::unique_ptr<Optimizer> optimizer =
      Optimizer::create(options.optimizer, [&] { return model.emitError(); });
  if (!optimizer || failed(builder.check(*optimizer)) || failed(builder.build()))
    return failure();
  model.erase();
  return success();
}

} // namespace sheaf::training
