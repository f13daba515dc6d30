// Scales and clips gradients, and updates what is trained.
#include "passes/training/step_updates.h"

#include "passes/training/model_names.h"
#include "passes/training/weight_average.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {

/// The names of the axes that cut a parameter, in order; null without a sharding.
static Attribute cuttingAxes(func::FuncOp step, unsigned argument) {
  auto sharding = step.getArgAttrOfType<dist::ShardingAttr>(argument, dist::kSharding);
  if (!sharding)
    return {};
  SmallVector<StringRef> names;
  for (dist::DimShardingAttr dim : sharding.getDims())
    for (dist::AxisRefAttr axis : dim.getAxes())
      names.push_back(axis.getName());
  llvm::sort(names);
  return Builder(step.getContext()).getStrArrayAttr(names);
}

Value mark(PrimitiveBuilder &b, dist::MarkKind kind, Value value,
           const TrainedParameter &parameter) {
  return dist::MarkOp::create(b, kind, value, b.getStringAttr(parameter.name));
}

void StepUpdates::update(PrimitiveBuilder &b, const Twine &name, Value old, Value value) {
  if (counts)
    value = b.select(b.broadcast(counts, shapeOf(value), {}), value, old);
  step.addUpdate(name.str(), value);
}

Value StepUpdates::buildNorm(PrimitiveBuilder &b, ArrayRef<Value> gradients) {
  // What ranks hold parts of is added up apart, for each way of parting, so that one sum has to be combined for each.
  llvm::MapVector<Attribute, Value> squares;
  Type wide = typeOf(gradients.front()).getElementType();
  for (auto [parameter, gradient] : llvm::zip_equal(trained.parameters, gradients)) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(gradient).getRank()));
    Value own = b.reduce(ReduceKind::sum, b.binary(BinaryKind::mul, gradient, gradient), dims);
    Value &sum = squares[cuttingAxes(step.function(), parameter.argument)];
    sum = sum ? b.binary(BinaryKind::add, sum, b.cast(own, wide)) : b.cast(own, wide);
  }
  Value total;
  for (auto [axes, sum] : squares)
    total = total ? b.binary(BinaryKind::add, total, sum) : sum;
  return b.unary(UnaryKind::sqrt, total);
}

Value StepUpdates::buildClip(PrimitiveBuilder &b, Value norm) {
  if (options.clipNorm == 0.0)
    return {};
  constexpr double kSmall = 1e-6; // As PyTorch's clip_grad_norm_ has it.
  Value ratio = b.binary(BinaryKind::div, b.splatLike(norm, options.clipNorm),
                         b.binary(BinaryKind::add, norm, kSmall));
  return b.binary(BinaryKind::min, ratio, 1.0);
}

Value StepUpdates::buildLossScale(Value norm) {
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

void StepUpdates::buildUpdate(const TrainedParameter &parameter, Value gradient, Value rate,
                              Value count) {
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("optimizer of " + parameter.name)),
                     builder);
  Value old = step.argument(parameter.argument), master;
  if (precision.keepsMaster && typeOf(old) != typeOf(gradient))
    master = step.addMaster(parameter.argument, parameter.name);
  ParameterStep change{b.cast(master ? master : old, typeOf(gradient).getElementType()),
                       gradient,
                       {},
                       rate,
                       count,
                       0.0};
  if (parameter.rateFactor != 1.0)
    change.learningRate = b.binary(BinaryKind::mul, rate, parameter.rateFactor);
  if (parameter.decays)
    change.weightDecay = options.weightDecay;
  SmallVector<Slot> slots = parameter.optimizer->slotsOf(typeOf(change.parameter));
  SmallVector<Value> stored;
  for (const Slot &slot : slots) {
    stored.push_back(step.addState(parameter.name + "." + slot.name,
                                   narrowedTo(slot.type, precision.state), slot.initial,
                                   parameter.name));
    change.slots.push_back(b.cast(stored.back(), slot.type.getElementType()));
  }
  NewParameter result = parameter.optimizer->update(b, change);
  update(b, parameter.name, old, b.cast(result.parameter, typeOf(old).getElementType()));
  if (master)
    update(b, parameter.name + kMaster, master, result.parameter);
  for (auto [slot, old, value] : llvm::zip_equal(slots, stored, result.slots))
    update(b, parameter.name + "." + slot.name, old, narrowedTo(b, value, precision.state));
  if (options.average == 0.0)
    return;
  WeightAverage average(step, parameter);
  update(b, average.name, average.value,
         average.after(b, options.average, result.parameter, count));
}

void StepUpdates::buildRunning(ArrayRef<Value> running) {
  OpBuilder builder(step.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("running statistics")), builder);
  for (auto [argument, value] : llvm::zip_equal(trained.statistics.arguments(), running)) {
    Value old = step.argument(argument);
    update(b, argumentName(step.function(), argument), old,
           b.cast(value, typeOf(old).getElementType()));
  }
}

void StepUpdates::build(ArrayRef<Value> givenGradients, ArrayRef<Value> running) {
  OpBuilder builder(step.block().getTerminator());
  SmallVector<Value> gradients(givenGradients);
  for (auto [parameter, gradient] : llvm::zip_equal(trained.parameters, gradients)) {
    PrimitiveBuilder named(gradient.getLoc(), builder);
    gradient = sumWidened(named, mark(named, dist::MarkKind::gradient, gradient, parameter));
    if (lossScale)
      gradient = named.binary(BinaryKind::div, gradient, spreadLike(named, lossScale, gradient));
  }
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("optimizer")), builder);
  Value norm = buildNorm(b, gradients);
  counts = buildLossScale(norm);
  Value clip = buildClip(b, norm);
  Value oldCount = step.stepCount();
  Value newCount = b.binary(BinaryKind::add, oldCount, 1.0);
  Value count = b.cast(newCount, b.getF64Type());
  Value rate = buildSchedule(b, options.schedule, count);
  step.addOutput("grad_norm", norm);
  step.addOutput("learning_rate", b.cast(rate, b.getF32Type()));
  update(b, kStepCount, oldCount, newCount);
  for (auto [parameter, gradient] : llvm::zip_equal(trained.parameters, gradients)) {
    if (clip)
      gradient = b.binary(BinaryKind::mul, gradient, spreadLike(b, clip, gradient));
    buildUpdate(parameter, gradient, rate, count);
  }
  buildRunning(running);
}

} // namespace sheaf::training
