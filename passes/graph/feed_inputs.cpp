// Fills inputs by rule: what the data does not feed.
#include "passes/graph/passes.h"

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace sheaf::graph {
#define GEN_PASS_DEF_GRAPHFEEDINPUTSPASS
#include "passes/graph/passes.h.inc"
} // namespace sheaf::graph

using namespace mlir;
using namespace sheaf::graph;

namespace {

std::optional<unsigned> findInput(func::FuncOp function, StringRef wanted) {
  for (unsigned index : llvm::seq(function.getNumArguments()))
    if (auto name = function.getArgAttrOfType<StringAttr>(index, kInput); name && name == wanted)
      return index;
  return std::nullopt;
}

std::string listInputs(func::FuncOp function) {
  SmallVector<std::string> names;
  for (unsigned index : llvm::seq(function.getNumArguments()))
    if (auto name = function.getArgAttrOfType<StringAttr>(index, kInput))
      names.push_back(("\"" + name.strref() + "\"").str());
  return names.empty() ? "none" : llvm::join(names, ", ");
}

/// The number that a rule stands for, at every place.
std::optional<double> numberOf(StringRef rule) {
  double number;
  if (rule == "ones")
    return 1.0;
  if (rule == "zeros")
    return 0.0;
  return rule.getAsDouble(number) ? std::nullopt : std::optional(number);
}

/// Whether integers of the type hold the number.
bool holds(Type element, double number) {
  auto type = dyn_cast<IntegerType>(element);
  if (!type)
    return true;
  unsigned width = type.getWidth();
  bool isSigned = !type.isUnsigned() && width > 1;
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  return std::trunc(number) == number && number < end && number >= (isSigned ? -end : 0.0);
}

struct FeedInputs : sheaf::graph::impl::GraphFeedInputsPassBase<FeedInputs> {
  using GraphFeedInputsPassBase::GraphFeedInputsPassBase;

  void runOnOperation() override {
    auto function = cast<func::FuncOp>(getOperation());
    for (const std::string &feed : feeds)
      if (failed(apply(function, feed)))
        return signalPassFailure();
  }

private:
  static LogicalResult apply(func::FuncOp function, StringRef feed) {
    auto [name, rule] = feed.rsplit('='); // Names may hold '='.
    std::optional<double> number = numberOf(rule);
    if (name.empty() || rule.empty() || (!number && rule != "arange"))
      return function.emitError() << "feed \"" << feed
                                  << "\" is not of the form NAME=ones, zeros, arange or a number";
    std::optional<unsigned> index = findInput(function, name);
    if (!index)
      return function.emitError() << "feed: the model has no input \"" << name << "\"; there are "
                                  << listInputs(function);
    BlockArgument argument = function.getArgument(*index);
    auto type = cast<RankedTensorType>(argument.getType());
    if (!number && type.getRank() == 0)
      return function.emitError() << "feed: input \"" << name << "\" of type " << type
                                  << " has no dim to count along";
    if (number && !holds(type.getElementType(), *number))
      return function.emitError() << "feed: " << rule << " is no value of input \"" << name
                                  << "\" of type " << type;
    OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
    PrimitiveBuilder b(argument.getLoc(), builder);
    Value value = number ? b.splat(type, *number)
                         : Value(IotaOp::create(b, type, uint64_t(type.getRank() - 1)));
    argument.replaceAllUsesWith(value);
    return function.eraseArgument(*index);
  }
};

} // namespace
