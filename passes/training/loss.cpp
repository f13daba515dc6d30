// Parses losses and builds them.
#include "passes/training/loss.h"

#include "passes/training/model_names.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// "cross_entropy:LOGITS,LABELS, ... or output:NAME"
std::string listForms() {
  std::string text;
  for (const LossForm &form : lossForms()) {
    if (!text.empty())
      text += &form == &lossForms().back() ? " or " : ", ";
    text += form.name.str() + ":" + form.output.upper();
    if (!form.target.empty())
      text += "," + form.target.upper();
  }
  return text;
}

Value sumAll(PrimitiveBuilder &b, Value x) {
  return b.reduce(ReduceKind::sum, x, llvm::to_vector(llvm::seq<int64_t>(typeOf(x).getRank())));
}

/// Whether each label counts.
Value isCounted(PrimitiveBuilder &b, Value labels, int64_t ignored) {
  Value pattern = ConstantOp::create(
      b, DenseElementsAttr::get(typeOf(labels),
                                IntegerAttr::get(typeOf(labels).getElementType(), ignored)));
  return b.compare(CompareKind::ne, labels, pattern);
}

} // namespace

FailureOr<Loss> Loss::create(func::FuncOp model, const LossOptions &options) {
  Loss loss;
  loss.options = options;
  if (failed(loss.parse(model, options)))
    return failure();
  return loss;
}

FloatType Loss::sumType() const { return computeTypeOf(outputType.getElementType()); }

std::optional<int64_t> Loss::padding() const {
  if (kind == LossKind::crossEntropy)
    return options.ignoreIndex;
  return std::nullopt;
}

LogicalResult Loss::parse(func::FuncOp model, const LossOptions &options) {
  auto [kindName, names] = StringRef(options.text).split(':');
  const LossForm *form = findLossForm(kindName);
  bool hasTarget = form && !form->target.empty();
  auto [first, second] = hasTarget ? names.rsplit(',') : std::pair(names, StringRef());
  if (hasTarget && form->isTargetImplied && !names.contains(','))
    second = form->target;
  if (!form || first.empty() || (hasTarget && second.empty()))
    return model.emitError() << "loss \"" << options.text << "\" is not of the form "
                             << listForms();
  kind = form->kind;
  if (kind != LossKind::crossEntropy && kind != LossKind::causal && options.labelSmoothing != 0.0)
    return model.emitError() << "label smoothing has no effect on loss " << kindName;
  if (kind != LossKind::crossEntropy && kind != LossKind::causal &&
      options.ignoreIndex != LossOptions().ignoreIndex)
    return model.emitError() << "an ignored label has no effect on loss " << kindName;
  if (!(options.labelSmoothing >= 0.0 && options.labelSmoothing <= 1.0)) // No NaN is.
    return model.emitError() << "label smoothing must be in [0, 1], found "
                             << options.labelSmoothing;
  std::optional<unsigned> index = findOutput(model, first);
  if (!index)
    return model.emitError() << "loss \"" << options.text << "\": the model has no output \""
                             << first << "\"; there are " << listOutputs(model);
  output = *index;
  outputType = cast<RankedTensorType>(model.getResultTypes()[output]);
  auto refuse = [&] {
    return model.emitError() << "loss \"" << options.text << "\": output \"" << first
                             << "\" of type " << outputType;
  };
  if (!isa<FloatType>(outputType.getElementType()))
    return refuse() << " is no float";
  if (kind == LossKind::output)
    return outputType.getNumElements() == 1 ? success() : refuse() << " must have one element";
  if (kind == LossKind::squares)
    return findTarget(model, second, outputType);
  if (outputType.getRank() < 2)
    return refuse() << " must be of [samples, .., classes]";
  auto labels = RankedTensorType::get(outputType.getShape().drop_back(),
                                      IntegerType::get(model.getContext(), 64));
  if (kind == LossKind::causal && labels.getRank() != 2)
    return refuse() << " must be of [samples, tokens, vocabulary]";
  if (kind == LossKind::causal && labels.getDimSize(1) < 2)
    return refuse() << " has " << labels.getDimSize(1)
                    << " token per sample, which leaves none to predict; give samples two or more";
  if (failed(findTarget(model, second, labels)))
    return failure();
  if (kind == LossKind::causal && !modelTarget)
    return model.emitError() << "loss \"" << options.text << "\": the model has no input \""
                             << second << "\"; there are " << listInputs(model);
  return success();
}

LogicalResult Loss::findTarget(func::FuncOp model, StringRef name, RankedTensorType wanted) {
  modelTarget = findInput(model, name);
  if (!modelTarget) {
    auto isTaken = [&](unsigned argument) { return argumentName(model, argument) == name; };
    auto isOutput = [&](unsigned result) { return outputName(model, result) == name; };
    if (llvm::any_of(llvm::seq(model.getNumArguments()), isTaken) ||
        llvm::any_of(llvm::seq(model.getNumResults()), isOutput))
      return model.emitError()
             << "loss \"" << options.text << "\": \"" << name
             << "\" is a parameter or an output of the model; name an input, or a "
                "new one";
    newTarget = name.str();
    newTargetType = wanted;
    return success();
  }
  auto type = cast<RankedTensorType>(model.getArgumentTypes()[*modelTarget]);
  bool isSameKind =
      isa<FloatType>(type.getElementType()) == isa<FloatType>(wanted.getElementType());
  if (type.getShape() != wanted.getShape() || !isSameKind)
    return model.emitError() << "loss \"" << options.text << "\": input \"" << name
                             << "\" is of type " << type << ", which does not fit " << wanted;
  return success();
}

Value Loss::targetOf(PrimitiveBuilder &b, Value value) const {
  if (kind != LossKind::causal)
    return value;
  // The label of a token is the next one; the last has none.
  int64_t dim = typeOf(value).getRank() - 1, extent = typeOf(value).getDimSize(dim);
  SmallVector<int64_t> last(typeOf(value).getShape());
  last[dim] = 1;
  Value none =
      ConstantOp::create(b, DenseElementsAttr::get(typeOf(value).clone(last),
                                                   IntegerAttr::get(typeOf(value).getElementType(),
                                                                    options.ignoreIndex)));
  Value next = b.slice(value, dim, 1, extent);
  return ConcatOp::create(b, ValueRange{next, none}, dim);
}

Value Loss::sum(PrimitiveBuilder &b, ValueRange results, Value target) const {
  Value x = results[output];
  switch (kind) {
  case LossKind::output:
    return b.cast(b.reshape(x, {}), sumType());
  case LossKind::squares: {
    Value wide = b.cast(x, sumType());
    Value difference = b.binary(BinaryKind::sub, wide, b.cast(target, sumType()));
    return sumAll(b, b.binary(BinaryKind::mul, difference, difference));
  }
  case LossKind::crossEntropy:
  case LossKind::causal: {
    auto rows = CrossEntropyOp::create(b, x, target, b.getI64IntegerAttr(options.ignoreIndex),
                                       b.getF64FloatAttr(options.labelSmoothing));
    return sumAll(b, rows);
  }
  }
  llvm_unreachable("unknown kind of loss");
}

Value Loss::count(PrimitiveBuilder &b, Value target, int64_t numMicroBatches) const {
  auto scalar = RankedTensorType::get({}, sumType());
  if (kind == LossKind::output)
    return b.splat(scalar, double(numMicroBatches));
  if (kind == LossKind::squares)
    return b.splat(scalar, double(outputType.getNumElements()) * double(numMicroBatches));
  return sumAll(b, b.cast(isCounted(b, target, options.ignoreIndex), sumType()));
}

bool Loss::countsTokens() const {
  constexpr int64_t rankOfTokens = 3; // [samples, tokens, classes]
  return kind == LossKind::causal ||
         (kind == LossKind::crossEntropy && outputType.getRank() == rankOfTokens);
}

Value Loss::correct(PrimitiveBuilder &b, ValueRange results, Value target) const {
  if (kind != LossKind::crossEntropy && kind != LossKind::causal)
    return {};
  Value x = results[output];
  int64_t dim = typeOf(x).getRank() - 1;
  Value best = ArgReduceOp::create(b, ReduceKind::max, x, dim, /*last=*/false);
  Value isRight = b.compare(CompareKind::eq, b.cast(best, typeOf(target).getElementType()), target);
  return sumAll(b, b.cast(isRight, sumType()));
}

} // namespace sheaf::training
