// Builds functions around a model.
#include "passes/training/step_function.h"

#include "dialects/dist/tensor_sharding.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

RankedTensorType withMicroBatches(Type type, int64_t count) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin(), count);
  return tensor.clone(shape);
}

/// A parameter is where the model has it, whatever the rest of a step would like.
dist::ShardingAttr closed(func::FuncOp function, dist::ShardingAttr given) {
  dist::MeshAttr mesh = dist::findMesh(function, given.getMesh()).getMesh();
  dist::TensorSharding sharding = dist::TensorSharding::from(given, mesh);
  for (dist::DimSharding &dim : sharding.dims)
    dim.isOpen = false;
  return sharding.toAttr(given.getMesh(), mesh);
}

/// Micro-batches are never shared among ranks.
dist::ShardingAttr withMicroBatches(func::FuncOp function, dist::ShardingAttr given) {
  dist::MeshAttr mesh = dist::findMesh(function, given.getMesh()).getMesh();
  dist::TensorSharding sharding = dist::TensorSharding::from(given, mesh);
  dist::DimSharding whole;
  whole.isOpen = false;
  sharding.dims.insert(sharding.dims.begin(), whole);
  return sharding.toAttr(given.getMesh(), mesh);
}

bool isInput(func::FuncOp function, unsigned argument) {
  return bool(function.getArgAttr(argument, kInput));
}

} // namespace

StepFunction::StepFunction(func::FuncOp model, StringRef name, const Loss &loss,
                           const ModelPrecision &precision, int64_t microBatches)
    : model(model), loss(loss), precision(precision), microBatches(microBatches) {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (BlockArgument argument : model.getArguments()) {
    unsigned number = argument.getArgNumber();
    types.push_back(isInput(model, number) ? withMicroBatches(argument.getType(), microBatches)
                                           : precision.keptType(number, typeOf(argument)));
    locations.push_back(argument.getLoc());
  }
  if (!loss.targetName().empty()) {
    newTarget = types.size();
    types.push_back(withMicroBatches(loss.targetType(), microBatches));
    locations.push_back(NameLoc::get(StringAttr::get(model.getContext(), loss.targetName())));
  }
  OpBuilder builder(model);
  built = func::FuncOp::create(builder, model.getLoc(), name, builder.getFunctionType(types, {}));
  built->setAttr(kProgram, builder.getStringAttr(name));
  built->setAttr(kMicroBatches, builder.getI64IntegerAttr(microBatches));
  built.getBody().emplaceBlock().addArguments(types, locations);
  for (unsigned argument : llvm::seq(model.getNumArguments()))
    built.setArgAttrs(argument, attributesOf(argument));
  if (newTarget)
    built.setArgAttr(*newTarget, kInput, builder.getStringAttr(loss.targetName()));
  if (auto target = newTarget ? newTarget : loss.targetArgument(); target && loss.padding())
    built.setArgAttr(*target, kPadding, builder.getI64IntegerAttr(*loss.padding()));
  builder.setInsertionPointToEnd(&block());
  func::ReturnOp::create(builder, model.getLoc());
}

DictionaryAttr StepFunction::attributesOf(unsigned argument) {
  NamedAttrList attributes(model.getArgAttrDict(argument));
  Builder builder(model.getContext());
  auto given = dyn_cast_or_null<dist::ShardingAttr>(attributes.get(dist::kSharding));
  bool isFed = isInput(model, argument);
  // Inputs are fed, and what is kept in another type than the model's gets its first value from "prepare".
  if (isFed || built.getArgumentTypes()[argument] != model.getArgumentTypes()[argument])
    attributes.erase(kSource);
  if (!isFed)
    attributes.set(kKept, builder.getUnitAttr());
  if (given)
    attributes.set(dist::kSharding, isFed ? withMicroBatches(model, given) : closed(model, given));
  return attributes.getDictionary(model.getContext());
}

Value StepFunction::addState(const Twine &name, RankedTensorType type, double initial,
                             StringRef ofParameter) {
  Builder builder(model.getContext());
  return addState(name, type,
                  DenseElementsAttr::get(
                      type, isa<FloatType>(type.getElementType())
                                ? Attribute(builder.getFloatAttr(type.getElementType(), initial))
                                : builder.getIntegerAttr(type.getElementType(), int64_t(initial))),
                  ofParameter);
}

Value StepFunction::addState(const Twine &name, RankedTensorType type, Attribute source,
                             StringRef ofParameter) {
  Builder builder(model.getContext());
  auto nameAttr = builder.getStringAttr(name);
  unsigned index = built.getNumArguments();
  NamedAttrList attributes;
  attributes.set(kState, nameAttr);
  if (source)
    attributes.set(kSource, source);
  if (!ofParameter.empty())
    attributes.set(kStateOf, builder.getStringAttr(ofParameter));
  (void)built.insertArgument(index, type, attributes.getDictionary(model.getContext()),
                             NameLoc::get(nameAttr));
  return block().getArgument(index);
}

Value StepFunction::stepCount() {
  if (!steps)
    steps = addState(kStepCount,
                     RankedTensorType::get({}, IntegerType::get(model.getContext(), 64)), 0.0);
  return steps;
}

Value StepFunction::microBatchNumber(PrimitiveBuilder &b, Value index) {
  if (!index)
    return stepCount();
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, stepCount(), double(microBatches)),
                  index);
}

Value StepFunction::take(PrimitiveBuilder &b, Value whole, Value index) {
  if (!index)
    return b.reshape(whole, shapeOf(whole).drop_front());
  return GatherOp::create(b, whole, index, /*dim=*/0, /*batchDims=*/0);
}

Value StepFunction::targets(PrimitiveBuilder &b) {
  std::optional<unsigned> index = newTarget ? newTarget : loss.targetArgument();
  return index ? loss.targetOf(b, block().getArgument(*index)) : Value();
}

MicroBatch StepFunction::build(OpBuilder &builder, Value index, bool dropsOut) {
  PrimitiveBuilder b(model.getLoc(), builder);
  MicroBatch result;
  IRMapping &mapping = result.mapping;
  for (BlockArgument argument : model.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto other = replaced.find(number);
    Value own = other == replaced.end() ? Value(block().getArgument(number)) : other->second;
    if (isInput(model, number))
      own = take(b, own, index);
    else if (auto name = model.getArgAttrOfType<StringAttr>(number, kParameter)) {
      PrimitiveBuilder named(argument.getLoc(), builder);
      if (precision.isNarrow(number))
        own = precision.narrowed(named, own);
      own = dist::MarkOp::create(named, dist::MarkKind::weight, own, name);
    }
    mapping.map(argument, own);
    result.weights.push_back(own);
  }
  Block &body = model.getBody().front();
  bool hasDropout = !body.getOps<DropoutOp>().empty();
  Value number = dropsOut && hasDropout ? microBatchNumber(b, index) : Value();
  for (Operation &op : body.without_terminator()) {
    auto dropout = dyn_cast<DropoutOp>(op);
    if (dropout && !dropsOut) {
      mapping.map(dropout.getResult(), mapping.lookup(dropout.getOperand()));
      continue;
    }
    precision.clone(builder, &op, mapping);
    if (dropout) {
      auto copy = mapping.lookup(dropout.getResult()).getDefiningOp<DropoutOp>();
      copy.setActive(true);
      copy.getCounterMutable().assign(number);
    }
  }
  for (Value value : body.getTerminator()->getOperands())
    result.results.push_back(mapping.lookup(value));
  if (newTarget)
    result.target = take(b, block().getArgument(*newTarget), index);
  else if (loss.targetArgument())
    result.target = loss.targetOf(b, mapping.lookup(model.getArgument(*loss.targetArgument())));
  PrimitiveBuilder named(NameLoc::get(b.getStringAttr("loss")), builder);
  result.lossSum = loss.sum(named, result.results, result.target);
  return result;
}

void StepFunction::addResult(StringRef role, StringRef name, Value value) {
  Operation *terminator = block().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), value);
  Builder builder(model.getContext());
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name)));
  (void)built.insertResult(built.getNumResults(), value.getType(), attributes);
}

} // namespace sheaf::training
