// Builds the program that gives parameters their first values.
#include "passes/training/first_values.h"

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"
#include "passes/training/model_names.h"
#include "passes/training/step_function.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

class FirstValues {
public:
  FirstValues(func::FuncOp model, func::FuncOp step) : model(model), step(step) {
    OpBuilder builder(step);
    prepare =
        func::FuncOp::create(builder, step.getLoc(), kPrepare, builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(&prepare.getBody().emplaceBlock());
    func::ReturnOp::create(builder, step.getLoc());
  }

  /// `initializer` is null where the model has the value.
  void add(unsigned parameter, const Initializer *initializer) {
    OpBuilder builder(terminator());
    PrimitiveBuilder b(step.getArgument(parameter).getLoc(), builder);
    StringRef name = argumentName(step, parameter);
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[parameter]);
    addVariable(parameter);
    Value first = initializer ? draw(b, *initializer, type, name) : ofModel(parameter);
    update(name, b.cast(first, typeOf(step.getArgument(parameter)).getElementType()));
    std::optional<unsigned> master = findArgument(step, (name + kMaster).str());
    if (!initializer || !master || !step.getArgAttr(*master, kStateOf)) // The model's value is its.
      return;
    addVariable(*master);
    update(argumentName(step, *master), first);
  }

private:
  Operation *terminator() { return prepare.getBody().front().getTerminator(); }

  Value addArgument(Type type, DictionaryAttr attributes, Location loc) {
    unsigned index = prepare.getNumArguments();
    (void)prepare.insertArgument(index, type, attributes, loc);
    return prepare.getArgument(index);
  }

  /// The variable of an argument of the step, to be updated.
  void addVariable(unsigned argument) {
    addArgument(step.getArgumentTypes()[argument], step.getArgAttrDict(argument),
                step.getArgument(argument).getLoc());
  }

  /// The value of a parameter in the model's file, in parts as the parameter is.
  Value ofModel(unsigned parameter) {
    Builder builder(model.getContext());
    std::string name = argumentName(model, parameter).str();
    do
      name += ".model";
    while (findArgument(step, name));
    NamedAttrList attributes;
    attributes.set(kParameter, builder.getStringAttr(name));
    attributes.set(kSource, model.getArgAttr(parameter, kSource));
    if (Attribute sharding = step.getArgAttr(parameter, dist::kSharding))
      attributes.set(dist::kSharding, sharding);
    return addArgument(model.getArgumentTypes()[parameter],
                       attributes.getDictionary(model.getContext()),
                       model.getArgument(parameter).getLoc());
  }

  void update(StringRef name, Value value) {
    terminator()->insertOperands(terminator()->getNumOperands(), value);
    Builder builder(model.getContext());
    auto role =
        builder.getDictionaryAttr(builder.getNamedAttr(kUpdate, builder.getStringAttr(name)));
    (void)prepare.insertResult(prepare.getNumResults(), value.getType(), role);
  }

  func::FuncOp model, step, prepare;
};

} // namespace

void buildFirstValues(func::FuncOp model, func::FuncOp step, ArrayRef<Initializer> initializers) {
  llvm::DenseMap<unsigned, const Initializer *> drawn;
  for (const Initializer &initializer : initializers)
    drawn[initializer.argument] = &initializer;
  auto isRounded = [&](unsigned argument) {
    return model.getArgAttr(argument, kParameter) && model.getArgAttr(argument, kSource) &&
           model.getArgumentTypes()[argument] != step.getArgumentTypes()[argument];
  };
  std::optional<FirstValues> values;
  for (unsigned argument : llvm::seq(model.getNumArguments())) {
    const Initializer *initializer = drawn.lookup(argument);
    if (!initializer && !isRounded(argument))
      continue;
    if (!values)
      values.emplace(model, step);
    values->add(argument, initializer);
  }
}

} // namespace sheaf::training
