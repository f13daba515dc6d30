// Appends the gradients of a scalar result to the results of a function.
#include "passes/training/model_names.h"
#include "passes/training/passes.h"
#include "passes/training/reverse_sweep.h"

namespace sheaf::training {
#define GEN_PASS_DEF_TRAININGDIFFERENTIATEPASS
#include "passes/training/passes.h.inc"
} // namespace sheaf::training

using namespace mlir;
using namespace sheaf;
using namespace sheaf::training;

namespace {

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
  FailureOr<unsigned> outputToDifferentiate(func::FuncOp function);
  FailureOr<SmallVector<unsigned>> argumentsToDifferentiateBy(func::FuncOp function);
  LogicalResult append(func::FuncOp function, unsigned argument, Value gradient);
};

FailureOr<unsigned> Differentiate::outputToDifferentiate(func::FuncOp function) {
  unsigned count = function.getNumResults();
  std::optional<unsigned> found;
  if (!output.empty())
    found = findOutput(function, output);
  else if (count == 1)
    found = 0;
  if (!found) {
    InFlightDiagnostic error = function.emitOpError();
    if (output.empty())
      return error << "has " << count << " results; say which one to differentiate by output=, of "
                   << listOutputs(function);
    return error << "has no result \"" << output << "\"; there are " << listOutputs(function);
  }
  Type type = function.getResultTypes()[*found];
  if (!training::hasGradients(type) || cast<RankedTensorType>(type).getNumElements() != 1)
    return function.emitOpError("result ")
           << *found << " is of type " << type
           << "; what is differentiated must be a float of one element, such as a loss";
  return *found;
}

FailureOr<SmallVector<unsigned>> Differentiate::argumentsToDifferentiateBy(func::FuncOp function) {
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
  for (StringRef wanted : arguments) {
    std::optional<unsigned> index = findArgument(function, wanted);
    if (!index)
      return function.emitOpError("has no argument \"")
             << wanted << "\"; there are " << listArguments(function);
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
  if (StringRef name = argumentName(function, argument); !name.empty()) {
    std::string gradientName = (name + ".grad").str();
    for (unsigned result : llvm::seq(index))
      if (outputName(function, result) == gradientName)
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
  FailureOr<unsigned> result = outputToDifferentiate(function);
  FailureOr<SmallVector<unsigned>> indices = argumentsToDifferentiateBy(function);
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
