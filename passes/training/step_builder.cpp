// Builds the training step: loss, gradients over micro-batches, clipping, updates.
#include "passes/training/step_builder.h"

#include "dialects/dist/dist.h"
#include "passes/training/model_names.h"
#include "passes/training/reverse_sweep.h"
#include "passes/training/step_function.h"
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// States of the step and, after its name, of a parameter.
constexpr StringLiteral kStepCount("optimizer.step"), kAverage(".ema");

Value mark(PrimitiveBuilder &b, dist::MarkKind kind, Value value,
           const TrainedParameter &parameter) {
  return dist::MarkOp::create(b, kind, value, b.getStringAttr(parameter.name));
}

class StepBuilder {
public:
  StepBuilder(func::FuncOp model, const StepOptions &options, const Loss &loss)
      : model(model), options(options), loss(loss) {}

  LogicalResult check(const Optimizer &optimizer);
  LogicalResult buildTrainStep();
  void buildEvaluation();

private:
  LogicalResult checkInputs();

  /// What accumulates: the mean loss, and the gradient of each trained parameter in its compute type. `running` are
  /// the running statistics and become those after the micro-batch.
  FailureOr<SmallVector<Value>> buildGradientsOf(StepFunction &step, Value index, Block &block,
                                                 Value count, MutableArrayRef<Value> running);
  /// What has accumulated, and then the running statistics: of one micro-batch, of many.
  FailureOr<SmallVector<Value>> buildOnly(StepFunction &step, Value count);
  FailureOr<SmallVector<Value>> buildLoop(StepFunction &step, Value count);
  SmallVector<Value> runningBefore(StepFunction &step, PrimitiveBuilder &b);
  void buildUpdates(StepFunction &step, SmallVector<Value> gradients);

  Value addAverage(StepFunction &step, const TrainedParameter &parameter);
  Value average(StepFunction &step, PrimitiveBuilder &b, const TrainedParameter &parameter,
                Value weight, Value count);
  void takeAverages(StepFunction &evaluation, OpBuilder &builder);

  func::FuncOp model;
  const StepOptions &options;
  const Loss &loss;
  std::vector<TrainedParameter> trained;
  BatchStatistics statistics;
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

LogicalResult StepBuilder::check(const Optimizer &optimizer) {
  if (options.microBatches < 1)
    return model.emitError() << "the number of micro-batches must be positive, found "
                             << options.microBatches;
  if (!std::isfinite(options.clipNorm) || options.clipNorm < 0.0)
    return model.emitError() << "the norm to clip to must not be negative, found "
                             << options.clipNorm;
  if (!std::isfinite(options.weightDecay) || options.weightDecay < 0.0)
    return model.emitError() << "weight decay must not be negative, found " << options.weightDecay;
  if (options.weightDecay == 0.0 && !options.parameters.noDecay.empty())
    return model.emitError() << "parameters without decay are named, but nothing decays";
  if (!(options.average >= 0.0 && options.average < 1.0)) // No NaN is.
    return model.emitError() << "the decay of ema must be in [0, 1), found " << options.average;
  if (options.evaluatesAverage && options.average == 0.0)
    return model.emitError() << "eval-ema has no effect without ema";
  if (failed(checkSchedule(options.schedule, [&] { return model.emitError(); })) ||
      failed(checkInputs()))
    return failure();
  auto found = findTrainedValues(model, options.parameters, optimizer);
  if (failed(found))
    return failure();
  trained = std::move(found->parameters);
  statistics = std::move(found->statistics);
  return success();
}

FailureOr<SmallVector<Value>> StepBuilder::buildGradientsOf(StepFunction &step, Value index,
                                                            Block &block, Value count,
                                                            MutableArrayRef<Value> running) {
  OpBuilder builder(block.getTerminator());
  MicroBatch batch = step.build(builder, index);
  statistics.apply(batch.mapping, running);
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  // All labels may be ones that do not count.
  Value mean = b.binary(BinaryKind::div, batch.lossSum, b.binary(BinaryKind::max, count, 1.0));
  mean = dist::MarkOp::create(b, dist::MarkKind::loss, mean, StringAttr());
  SmallVector<Value> parameters;
  for (const TrainedParameter &parameter : trained)
    parameters.push_back(batch.weights[parameter.argument]);
  FailureOr<SmallVector<Value>> gradients = buildGradients(block, mean, parameters);
  if (failed(gradients))
    return failure();
  builder.setInsertionPoint(block.getTerminator());
  SmallVector<Value> results = {mean};
  for (auto [parameter, gradient] : llvm::zip_equal(trained, *gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    Value wide = named.cast(gradient, computeTypeOf(typeOf(gradient).getElementType()));
    if (index)
      wide = mark(named, dist::MarkKind::gradientPart, wide, parameter);
    results.push_back(wide);
  }
  return results;
}

/// The running statistics before the step, in their compute types.
SmallVector<Value> StepBuilder::runningBefore(StepFunction &step, PrimitiveBuilder &b) {
  return llvm::map_to_vector(statistics.arguments(), [&](unsigned argument) {
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
  for (const TrainedParameter &parameter : trained) {
    RankedTensorType type = typeOf(step.argument(parameter.argument));
    inits.push_back(b.splat(type.clone(computeTypeOf(type.getElementType())), 0.0));
  }
  llvm::append_range(inits, runningBefore(step, b));
  OperationState state(b.getLoc(), LoopOp::getOperationName());
  LoopOp::build(b, state, TypeRange(ValueRange(inits)), options.microBatches, inits);
  auto loop = cast<LoopOp>(builder.create(state));
  Block &body = loop.getBody().empty() ? loop.getBody().emplaceBlock() : loop.getBody().front();
  if (body.getNumArguments() == 0) {
    body.addArgument(RankedTensorType::get({}, b.getI64Type()), b.getLoc());
    for (Value init : inits)
      body.addArgument(init.getType(), b.getLoc());
  }
  builder.setInsertionPointToEnd(&body);
  if (body.empty())
    YieldOp::create(builder, b.getLoc(), ValueRange(body.getArguments().drop_front()));
  SmallVector<Value> running(body.getArguments().take_back(statistics.arguments().size()));
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

void StepBuilder::buildUpdates(StepFunction &step, SmallVector<Value> gradients) {
  OpBuilder builder(step.block().getTerminator());
  for (auto [parameter, gradient] : llvm::zip_equal(trained, gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    gradient = mark(named, dist::MarkKind::gradient, gradient, parameter);
  }
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("optimizer")), builder);
  Type f64 = b.getF64Type();
  // The norm of all gradients as one vector.
  Value squares;
  Type wide = typeOf(gradients.front()).getElementType();
  for (Value gradient : gradients) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(gradient).getRank()));
    Value own = b.reduce(ReduceKind::sum, b.binary(BinaryKind::mul, gradient, gradient), dims);
    squares = squares ? b.binary(BinaryKind::add, squares, b.cast(own, wide)) : own;
  }
  Value norm = b.unary(UnaryKind::sqrt, squares);
  Value scale;
  if (options.clipNorm > 0.0) {
    constexpr double kSmall = 1e-6; // As PyTorch's clip_grad_norm_ has it.
    Value ratio = b.binary(BinaryKind::div, b.splatLike(norm, options.clipNorm),
                           b.binary(BinaryKind::add, norm, kSmall));
    scale = b.binary(BinaryKind::min, ratio, 1.0);
  }
  Value oldCount = step.addState(kStepCount, RankedTensorType::get({}, b.getI64Type()), 0.0);
  Value newCount = b.binary(BinaryKind::add, oldCount, 1.0);
  Value count = b.cast(newCount, f64);
  Value rate = buildSchedule(b, options.schedule, count);
  step.addOutput("grad_norm", norm);
  step.addOutput("learning_rate", b.cast(rate, b.getF32Type()));
  step.addUpdate(kStepCount, newCount);

  for (auto [parameter, gradient] : llvm::zip_equal(trained, gradients)) {
    PrimitiveBuilder named(NameLoc::get(builder.getStringAttr("optimizer of " + parameter.name)),
                           builder);
    Value old = step.argument(parameter.argument);
    Type compute = typeOf(gradient).getElementType();
    ParameterStep update{named.cast(old, compute), gradient, {}, rate, count, 0.0};
    if (parameter.rateFactor != 1.0)
      update.learningRate = named.binary(BinaryKind::mul, rate, parameter.rateFactor);
    if (scale)
      update.gradient = named.binary(BinaryKind::mul, gradient, spreadLike(named, scale, gradient));
    if (parameter.decays)
      update.weightDecay = options.weightDecay;
    SmallVector<Slot> slots = parameter.optimizer->slotsOf(typeOf(update.parameter));
    for (const Slot &slot : slots)
      update.slots.push_back(
          step.addState(parameter.name + "." + slot.name, slot.type, slot.initial, parameter.name));
    NewParameter result = parameter.optimizer->update(named, update);
    step.addUpdate(parameter.name, named.cast(result.parameter, typeOf(old).getElementType()));
    for (auto [slot, value] : llvm::zip_equal(slots, result.slots))
      step.addUpdate((parameter.name + "." + slot.name).str(), value);
    if (options.average > 0.0)
      step.addUpdate((parameter.name + kAverage).str(),
                     average(step, named, parameter, result.parameter, count));
  }
}

/// A state of the parameter, in its compute type.
Value StepBuilder::addAverage(StepFunction &step, const TrainedParameter &parameter) {
  auto type = cast<RankedTensorType>(model.getArgumentTypes()[parameter.argument]);
  return step.addState(parameter.name + kAverage, type.clone(computeTypeOf(type.getElementType())),
                       0.0, parameter.name);
}

/// The new average: it begins with the weights after the first step.
Value StepBuilder::average(StepFunction &step, PrimitiveBuilder &b,
                           const TrainedParameter &parameter, Value weight, Value count) {
  Value isLater =
      b.cast(b.compare(CompareKind::gt, count, b.splatLike(count, 1.0)), b.getF64Type());
  Value kept = b.binary(BinaryKind::mul, isLater, options.average);
  Value entering = b.binary(BinaryKind::sub, b.splatLike(kept, 1.0), kept);
  Value old = addAverage(step, parameter);
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, old, spreadLike(b, kept, old)),
                  b.binary(BinaryKind::mul, weight, spreadLike(b, entering, weight)));
}

LogicalResult StepBuilder::buildTrainStep() {
  StepFunction step(model, "train_step", loss, options.microBatches);
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  Value count = loss.count(b, step.targets(b), options.microBatches);
  auto parts = options.microBatches == 1 ? buildOnly(step, count) : buildLoop(step, count);
  if (failed(parts))
    return failure();
  step.addOutput("loss", parts->front());
  step.addOutput("tokens", count);
  ArrayRef<Value> rest = ArrayRef(*parts).drop_front();
  buildUpdates(step, llvm::to_vector(rest.take_front(trained.size())));
  builder.setInsertionPoint(step.block().getTerminator());
  PrimitiveBuilder after(NameLoc::get(builder.getStringAttr("running statistics")), builder);
  for (auto [argument, value] :
       llvm::zip_equal(statistics.arguments(), rest.drop_front(trained.size())))
    step.addUpdate(argumentName(model, argument),
                   after.cast(value, typeOf(step.argument(argument)).getElementType()));
  return success();
}

/// The evaluation computes with averages, of which there are none before the first step.
void StepBuilder::takeAverages(StepFunction &evaluation, OpBuilder &builder) {
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("average")), builder);
  Value count = evaluation.addState(kStepCount, RankedTensorType::get({}, b.getI64Type()), 0.0);
  Value isTrained = b.compare(CompareKind::gt, count, b.splatLike(count, 0.0));
  for (const TrainedParameter &parameter : trained) {
    Value weight = evaluation.argument(parameter.argument);
    Value average = b.cast(addAverage(evaluation, parameter), typeOf(weight).getElementType());
    Value everywhere = b.broadcast(isTrained, shapeOf(weight), {});
    evaluation.replace(parameter.argument, b.select(everywhere, average, weight));
  }
}

void StepBuilder::buildEvaluation() {
  StepFunction evaluation(model, "eval", loss, /*microBatches=*/1);
  OpBuilder builder(evaluation.block().getTerminator());
  if (options.evaluatesAverage)
    takeAverages(evaluation, builder);
  MicroBatch batch = evaluation.build(builder, {});
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  Value count = loss.count(b, batch.target, /*numMicroBatches=*/1);
  evaluation.addOutput(
      "loss", b.binary(BinaryKind::div, batch.lossSum, b.binary(BinaryKind::max, count, 1.0)));
  evaluation.addOutput("count", count);
  if (Value correct = loss.correct(b, batch.results, batch.target))
    evaluation.addOutput("correct", correct);
}

} // namespace

LogicalResult buildStep(func::FuncOp model, const StepOptions &options) {
  FailureOr<Loss> loss = Loss::create(model, options.loss);
  if (failed(loss))
    return failure();
  StepBuilder builder(model, options, *loss);
  std::unique_ptr<Optimizer> optimizer =
      Optimizer::create(options.optimizer, [&] { return model.emitError(); });
  if (!optimizer || failed(builder.check(*optimizer)) || failed(builder.buildTrainStep()))
    return failure();
  builder.buildEvaluation();
  model.erase();
  return success();
}

} // namespace sheaf::training
