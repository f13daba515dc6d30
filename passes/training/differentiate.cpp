// Appends the gradients of a scalar result to the results of a function.
#include "passes/training/passes.h"
#include "passes/training/reverse_sweep.h"

#include "llvm/ADT/StringExtras.h"

namespace sheaf::training {
#define GEN_PASS_DEF_TRAININGDIFFERENTIATEPASS
#include "passes/training/passes.h.inc"
} // namespace sheaf::training

using namespace mlir;
using namespace sheaf;

namespace {

/// The name of an argument in the model file; empty without one.
StringRef nameOf(func::FuncOp function, unsigned argument) {
  for (StringRef role : {graph::kParameter, graph::kInput, graph::kState})
    if (auto name = function.getArgAttrOfType<StringAttr>(argument, role))
      return name;
  return {};
}

StringRef outputNameOf(func::FuncOp function, unsigned result) {
  auto name = function.getResultAttrOfType<StringAttr>(result, graph::kOutput);
  return name ? name.strref() : StringRef();
}

/// The one of `count` things that `wanted` names, or whose index it is; the name goes first.
std::optional<unsigned> findNamed(StringRef wanted, unsigned count,
                                  function_ref<StringRef(unsigned)> nameOf) {
  for (unsigned index : llvm::seq(count))
    if (nameOf(index) == wanted)
      return index;
  unsigned index;
  if (!wanted.getAsInteger(10, index) && index < count)
    return index;
  return std::nullopt;
}

/// Names or, where there are none, indices, as messages list them.
std::string listOf(unsigned count, function_ref<StringRef(unsigned)> nameOf) {
  auto texts = llvm::map_range(llvm::seq(count), [&](unsigned index) {
    StringRef name = nameOf(index);
    return name.empty() ? std::to_string(index) : ("\"" + name + "\"").str();
  });
  return llvm::join(texts, ", ");
}

struct Differentiate : training::impl::TrainingDifferentiatePassBase<Differentiate> {
  using TrainingDifferentiatePassBase::TrainingDifferentiatePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    if (failed(differentiate(function)))
      signalPassFailure();
  }

private:
  LogicalResult differentiate(func::FuncOp function);
  FailureOr<unsigned> findOutput(func::FuncOp function);
  FailureOr<SmallVector<unsigned>> findArguments(func::FuncOp function);
  LogicalResult append(func::FuncOp function, unsigned argument, Value gradient);
};

FailureOr<unsigned> Differentiate::findOutput(func::FuncOp function) {
  unsigned count = function.getNumResults();
  auto name = [&](unsigned result) { return outputNameOf(function, result); };
  std::optional<unsigned> found;
  if (!output.empty())
    found = findNamed(output, count, name);
  else if (count == 1)
    found = 0;
  if (!found) {
    InFlightDiagnostic error = function.emitOpError();
    if (output.empty())
      return error << "has " << count << " results; say which one to differentiate by output=, of "
                   << listOf(count, name);
    return error << "has no result \"" << output << "\"; there are " << listOf(count, name);
  }
  Type type = function.getResultTypes()[*found];
  if (!training::hasGradients(type) || cast<RankedTensorType>(type).getNumElements() != 1)
    return function.emitOpError("result ")
           << *found << " is of type " << type
           << "; what is differentiated must be a float of one element, such as a loss";
  return *found;
}

FailureOr<SmallVector<unsigned>> Differentiate::findArguments(func::FuncOp function) {
  unsigned count = function.getNumArguments();
  SmallVector<unsigned> found;
  if (arguments.empty()) {
    for (unsigned index : llvm::seq(count))
      if (function.getArgAttr(index, graph::kParameter) &&
          training::hasGradients(function.getArgumentTypes()[index]))
        found.push_back(index);
    if (found.empty())
      return function.emitOpError("has no float parameters; say by arguments= what to "
                                  "differentiate by");
    return found;
  }
  auto name = [&](unsigned argument) { return nameOf(function, argument); };
  for (StringRef wanted : arguments) {
    std::optional<unsigned> index = findNamed(wanted, count, name);
    if (!index)
      return function.emitOpError("has no argument \"")
             << wanted << "\"; there are " << listOf(count, name);
    if (!training::hasGradients(function.getArgumentTypes()[*index]))
      return function.emitOpError("argument ")
             << *index << " is of type " << function.getArgumentTypes()[*index]
             << "; only floats have gradients";
    if (!llvm::is_contained(found, *index))
      found.push_back(*index);
  }
  return found;
}

LogicalResult Differentiate::append(func::FuncOp function, unsigned argument, Value gradient) {
  unsigned index = function.getNumResults();
  DictionaryAttr attributes;
  if (StringRef name = nameOf(function, argument); !name.empty()) {
    std::string gradientName = (name + ".grad").str();
    for (unsigned result : llvm::seq(index))
      if (outputNameOf(function, result) == gradientName)
        return function.emitOpError("has a result named \"")
               << gradientName << "\" already, which is the name of the gradient of \"" << name
               << "\"; rename it";
    Builder b(function);
    attributes = b.getDictionaryAttr(b.getNamedAttr(graph::kOutput, b.getStringAttr(gradientName)));
  }
  Operation *terminator = function.front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), gradient);
  return function.insertResult(index, gradient.getType(), attributes);
}

LogicalResult Differentiate::differentiate(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has several blocks; only straight lists of ops have gradients");
  FailureOr<unsigned> result = findOutput(function);
  FailureOr<SmallVector<unsigned>> indices = findArguments(function);
  if (failed(result) || failed(indices))
    return failure();
  Block &block = function.front();
  SmallVector<Value> inputs;
  for (unsigned index : *indices)
    inputs.push_back(block.getArgument(index));
  FailureOr<SmallVector<Value>> gradients =
      training::buildGradients(block, block.getTerminator()->getOperand(*result), inputs);
  if (failed(gradients))
    return failure();
  for (auto [index, gradient] : llvm::zip_equal(*indices, *gradients))
    if (failed(append(function, index, gradient)))
      return failure();
  return success();
}

} // namespace
