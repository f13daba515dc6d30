// Builds the training step: loss, gradients over micro-batches, clipping, updates.
#include "passes/training/step_builder.h"

#include "dialects/dist/dist.h"
#include "passes/training/model_names.h"
#include "passes/training/reverse_sweep.h"
#include "passes/training/step_function.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// A parameter that is trained.
struct Trained {
  unsigned argument; ///< of the model
  StringRef name;
  bool decays = true;
};

Value mark(PrimitiveBuilder &b, dist::MarkKind kind, Value value, const Trained &parameter) {
  return dist::MarkOp::create(b, kind, value, b.getStringAttr(parameter.name));
}

/// The names of the axes that cut a parameter, in order; null without a sharding.
Attribute cuttingAxes(func::FuncOp model, unsigned argument) {
  auto sharding = model.getArgAttrOfType<dist::ShardingAttr>(argument, dist::kSharding);
  if (!sharding)
    return {};
  SmallVector<StringRef> names;
  for (dist::DimShardingAttr dim : sharding.getDims())
    for (dist::AxisRefAttr axis : dim.getAxes())
      names.push_back(axis.getName());
  llvm::sort(names);
  return Builder(model.getContext()).getStrArrayAttr(names);
}

/// A condition at every place of a tensor like `like`.
Value spreadBool(PrimitiveBuilder &b, Value condition, Value like) {
  return b.broadcast(condition, shapeOf(like), {});
}

class StepBuilder {
public:
  StepBuilder(func::FuncOp model, const StepOptions &options, const Loss &loss)
      : model(model), options(options), loss(loss) {}

  LogicalResult check();
  LogicalResult build(const Optimizer &optimizer) {
    auto arguments =
        llvm::map_to_vector(trained, [](const Trained &parameter) { return parameter.argument; });
    ModelPrecision precision(model, computeType(), arguments);
    if (failed(buildTrainStep(optimizer, precision)))
      return failure();
    buildEvaluation(precision);
    return success();
  }

private:
  LogicalResult buildTrainStep(const Optimizer &optimizer, const ModelPrecision &precision);
  void buildEvaluation(const ModelPrecision &precision);
  /// Null when the model is computed as it is stored.
  Type computeType() const {
    return options.compute == "bf16"  ? Type(BFloat16Type::get(context))
           : options.compute == "f16" ? Type(Float16Type::get(context))
                                      : Type();
  }
  LogicalResult checkPrecision();
  LogicalResult checkInputs();
  LogicalResult findTrained();
  FailureOr<SmallVector<bool>> match(ArrayRef<std::string> patterns, StringRef what);

  /// What accumulates: the mean loss, and the gradient of each trained parameter in its compute type.
  FailureOr<SmallVector<Value>> buildGradientsOf(StepFunction &step, Value index, Block &block,
                                                 Value count);
  FailureOr<SmallVector<Value>> buildLoop(StepFunction &step, Value count);
  /// The norm of all gradients as one vector.
  Value buildNorm(PrimitiveBuilder &b, ArrayRef<Value> gradients);
  /// Whether the step counts, from the norm; null when it always does. Updates the scale.
  Value buildLossScale(StepFunction &step, Value norm);
  void buildUpdates(StepFunction &step, const Optimizer &optimizer, SmallVector<Value> gradients);

  func::FuncOp model;
  MLIRContext *context = model.getContext();
  const StepOptions &options;
  const Loss &loss;
  std::vector<Trained> trained;
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

FailureOr<SmallVector<bool>> StepBuilder::match(ArrayRef<std::string> patterns, StringRef what) {
  SmallVector<bool> matched(model.getNumArguments(), false);
  for (StringRef text : patterns) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return model.emitError() << what << ": " << llvm::toString(pattern.takeError());
    bool hasMatched = false;
    for (unsigned argument : llvm::seq(model.getNumArguments()))
      if (auto name = model.getArgAttrOfType<StringAttr>(argument, kParameter);
          name && pattern->match(name)) {
        matched[argument] = hasMatched = true;
      }
    if (!hasMatched)
      return model.emitError() << what << ": \"" << text << "\" matches no parameter; there are "
                               << listArguments(model);
  }
  return matched;
}

LogicalResult StepBuilder::findTrained() {
  auto frozen = match(options.frozen, "frozen parameters");
  auto noDecay = match(options.noDecay, "parameters without decay");
  if (failed(frozen) || failed(noDecay))
    return failure();
  for (unsigned argument : llvm::seq(model.getNumArguments()))
    if (auto name = model.getArgAttrOfType<StringAttr>(argument, kParameter);
        name && hasGradients(model.getArgumentTypes()[argument]) && !(*frozen)[argument])
      trained.push_back({argument, name, !(*noDecay)[argument]});
  if (trained.empty())
    return model.emitError() << "nothing to train: the model has no float parameter that is not "
                                "frozen";
  return success();
}

LogicalResult StepBuilder::checkPrecision() {
  if (!options.compute.empty() && !computeType())
    return model.emitError() << "precision \"" << options.compute
                             << "\" is unknown; there are f32, bf16 and f16";
  if (options.scale.initial != 0.0 && options.compute != "f16")
    return model.emitError() << "a loss scale is for f16; "
                             << (options.compute.empty() ? "f32" : options.compute)
                             << " has the exponents that gradients need";
  if (options.compute == "f16" && (!std::isfinite(options.scale.initial) ||
                                   options.scale.initial <= 0.0 || options.scale.interval < 1))
    return model.emitError() << "f16 needs a positive loss scale and a positive number of steps "
                                "until it grows, found "
                             << options.scale.initial << " and " << options.scale.interval;
  return success();
}

LogicalResult StepBuilder::check() {
  if (options.microBatches < 1)
    return model.emitError() << "the number of micro-batches must be positive, found "
                             << options.microBatches;
  if (!std::isfinite(options.clipNorm) || options.clipNorm < 0.0)
    return model.emitError() << "the norm to clip to must not be negative, found "
                             << options.clipNorm;
  if (!std::isfinite(options.weightDecay) || options.weightDecay < 0.0)
    return model.emitError() << "weight decay must not be negative, found " << options.weightDecay;
  if (options.weightDecay == 0.0 && !options.noDecay.empty())
    return model.emitError() << "parameters without decay are named, but nothing decays";
  if (failed(checkSchedule(options.schedule, [&] { return model.emitError(); })) ||
      failed(checkPrecision()) || failed(checkInputs()))
    return failure();
  return findTrained();
}

FailureOr<SmallVector<Value>> StepBuilder::buildGradientsOf(StepFunction &step, Value index,
                                                            Block &block, Value count) {
  OpBuilder builder(block.getTerminator());
  MicroBatch batch = step.build(builder, index);
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  // All labels may be ones that do not count.
  Value mean = b.binary(BinaryKind::div, batch.lossSum, b.binary(BinaryKind::max, count, 1.0));
  Value minimized =
      lossScale ? b.binary(BinaryKind::mul, mean, b.cast(lossScale, typeOf(mean).getElementType()))
                : mean;
  minimized = dist::MarkOp::create(b, dist::MarkKind::loss, minimized, StringAttr());
  SmallVector<Value> parameters;
  for (const Trained &parameter : trained)
    parameters.push_back(batch.weights[parameter.argument]);
  FailureOr<SmallVector<Value>> gradients = buildGradients(block, minimized, parameters);
  if (failed(gradients))
    return failure();
  builder.setInsertionPoint(block.getTerminator());
  SmallVector<Value> results = {mean};
  for (auto [parameter, gradient] : llvm::zip_equal(trained, *gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    Value wide = widened(named, gradient);
    if (index)
      wide = mark(named, dist::MarkKind::gradientPart, wide, parameter);
    results.push_back(wide);
  }
  return results;
}

FailureOr<SmallVector<Value>> StepBuilder::buildLoop(StepFunction &step, Value count) {
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("micro-batches")), builder);
  SmallVector<Value> inits = {b.splatLike(count, 0.0)};
  for (const Trained &parameter : trained) {
    RankedTensorType type = typeOf(step.argument(parameter.argument));
    inits.push_back(b.splat(type.clone(computeTypeOf(type.getElementType())), 0.0));
  }
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
  auto parts = buildGradientsOf(step, body.getArgument(0), body, count);
  if (failed(parts))
    return failure();
  builder.setInsertionPoint(body.getTerminator());
  for (auto [index, part] : llvm::enumerate(*parts)) {
    PrimitiveBuilder named(part.getLoc(), builder);
    Value sum = named.binary(BinaryKind::add, body.getArgument(index + 1), part);
    body.getTerminator()->setOperand(index, sum);
  }
  return SmallVector<Value>(loop.getResults());
}

Value StepBuilder::buildNorm(PrimitiveBuilder &b, ArrayRef<Value> gradients) {
  // What ranks hold parts of is added up apart, for each way of parting, so that one sum has to be combined for each.
  llvm::MapVector<Attribute, Value> squares;
  Type wide = typeOf(gradients.front()).getElementType();
  for (auto [parameter, gradient] : llvm::zip_equal(trained, gradients)) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(gradient).getRank()));
    Value own = b.reduce(ReduceKind::sum, b.binary(BinaryKind::mul, gradient, gradient), dims);
    Value &sum = squares[cuttingAxes(model, parameter.argument)];
    sum = sum ? b.binary(BinaryKind::add, sum, b.cast(own, wide)) : b.cast(own, wide);
  }
  Value total;
  for (auto [axes, sum] : squares)
    total = total ? b.binary(BinaryKind::add, total, sum) : sum;
  return b.unary(UnaryKind::sqrt, total);
}

Value StepBuilder::buildLossScale(StepFunction &step, Value norm) {
  if (!lossScale)
    return {};
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss scale")), builder);
  // A norm that is not a number is not less either.
  Value isFinite = b.compare(CompareKind::lt, norm, b.splatLike(norm, HUGE_VAL));
  Value good =
      step.addState("optimizer.steps_at_scale", RankedTensorType::get({}, b.getI64Type()), 0.0);
  Value more = b.binary(BinaryKind::add, good, 1.0);
  Value grows = b.compare(CompareKind::ge, more, b.splatLike(more, double(options.scale.interval)));
  Value larger = b.select(grows, b.binary(BinaryKind::mul, lossScale, 2.0), lossScale);
  step.addUpdate("optimizer.loss_scale",
                 b.select(isFinite, larger, b.binary(BinaryKind::mul, lossScale, 0.5)));
  Value none = b.splatLike(more, 0.0);
  step.addUpdate("optimizer.steps_at_scale", b.select(isFinite, b.select(grows, none, more), none));
  step.addOutput("loss_scale", lossScale);
  Value skipped = b.select(isFinite, b.splatLike(norm, 0.0), b.splatLike(norm, 1.0));
  step.addOutput("skipped", skipped);
  return isFinite;
}

void StepBuilder::buildUpdates(StepFunction &step, const Optimizer &optimizer,
                               SmallVector<Value> gradients) {
  OpBuilder builder(step.block().getTerminator());
  for (auto [parameter, gradient] : llvm::zip_equal(trained, gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    gradient = mark(named, dist::MarkKind::gradient, gradient, parameter);
    if (lossScale)
      gradient = named.binary(BinaryKind::div, gradient, spreadLike(named, lossScale, gradient));
  }
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("optimizer")), builder);
  Type f64 = b.getF64Type();
  Value norm = buildNorm(b, gradients);
  Value counts = buildLossScale(step, norm);
  auto update = [&](PrimitiveBuilder &b, const Twine &name, Value old, Value value) {
    if (counts)
      value = b.select(spreadBool(b, counts, value), value, old);
    step.addUpdate(name.str(), value);
  };
  Value scale;
  if (options.clipNorm > 0.0) {
    constexpr double kSmall = 1e-6; // As PyTorch's clip_grad_norm_ has it.
    Value ratio = b.binary(BinaryKind::div, b.splatLike(norm, options.clipNorm),
                           b.binary(BinaryKind::add, norm, kSmall));
    scale = b.binary(BinaryKind::min, ratio, 1.0);
  }
  Value oldCount = step.addState("optimizer.step", RankedTensorType::get({}, b.getI64Type()), 0.0);
  Value newCount = b.binary(BinaryKind::add, oldCount, 1.0);
  Value count = b.cast(newCount, f64);
  Value rate = buildSchedule(b, options.schedule, count);
  step.addOutput("grad_norm", norm);
  step.addOutput("learning_rate", b.cast(rate, b.getF32Type()));
  update(b, "optimizer.step", oldCount, newCount);

  for (auto [parameter, gradient] : llvm::zip_equal(trained, gradients)) {
    PrimitiveBuilder named(NameLoc::get(builder.getStringAttr("optimizer of " + parameter.name)),
                           builder);
    Value old = step.argument(parameter.argument);
    Type compute = typeOf(gradient).getElementType();
    ParameterStep change{named.cast(old, compute), gradient, {}, rate, count, 0.0};
    if (scale)
      change.gradient = named.binary(BinaryKind::mul, gradient, spreadLike(named, scale, gradient));
    if (parameter.decays)
      change.weightDecay = options.weightDecay;
    SmallVector<Slot> slots = optimizer.slotsOf(typeOf(change.parameter));
    for (const Slot &slot : slots)
      change.slots.push_back(
          step.addState(parameter.name + "." + slot.name, slot.type, slot.initial, parameter.name));
    NewParameter result = optimizer.update(named, change);
    update(named, parameter.name, old, named.cast(result.parameter, typeOf(old).getElementType()));
    for (auto [slot, old, value] : llvm::zip_equal(slots, change.slots, result.slots))
      update(named, parameter.name + "." + slot.name, old, value);
  }
}

LogicalResult StepBuilder::buildTrainStep(const Optimizer &optimizer,
                                          const ModelPrecision &precision) {
  StepFunction step(model, "train_step", loss, precision, options.microBatches);
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("loss")), builder);
  if (options.scale.initial > 0.0)
    lossScale = step.addState("optimizer.loss_scale", RankedTensorType::get({}, b.getF32Type()),
                              options.scale.initial);
  Value count = loss.count(b, step.targets(b), options.microBatches);
  FailureOr<SmallVector<Value>> parts = options.microBatches == 1
                                            ? buildGradientsOf(step, {}, step.block(), count)
                                            : buildLoop(step, count);
  if (failed(parts))
    return failure();
  step.addOutput("loss", parts->front());
  step.addOutput("tokens", count);
  buildUpdates(step, optimizer, llvm::to_vector(ArrayRef(*parts).drop_front()));
  return success();
}

void StepBuilder::buildEvaluation(const ModelPrecision &precision) {
  StepFunction evaluation(model, "eval", loss, precision, /*microBatches=*/1);
  OpBuilder builder(evaluation.block().getTerminator());
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
  if (!optimizer || failed(builder.check()) || failed(builder.build(*optimizer)))
    return failure();
  model.erase();
  return success();
}

} // namespace sheaf::training
