// Finds arguments and results of a model's function by name.
#include "passes/training/model_names.h"

#include "dialects/graph/graph.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace sheaf::training {

StringRef argumentName(func::FuncOp function, unsigned index) {
  for (StringRef role : {graph::kParameter, graph::kInput, graph::kState})
    if (auto name = function.getArgAttrOfType<StringAttr>(index, role))
      return name;
  return {};
}

StringRef outputName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, graph::kOutput);
  return name ? name.strref() : StringRef();
}

namespace {

using NameOf = StringRef (*)(func::FuncOp, unsigned);

std::optional<unsigned> find(func::FuncOp function, StringRef wanted, unsigned count,
                             NameOf nameOf) {
  for (unsigned index : llvm::seq(count))
    if (nameOf(function, index) == wanted)
      return index;
  unsigned index;
  if (!wanted.getAsInteger(10, index) && index < count)
    return index;
  return std::nullopt;
}

std::string list(func::FuncOp function, unsigned count, NameOf nameOf,
                 function_ref<bool(unsigned)> isListed = nullptr) {
  SmallVector<std::string> texts;
  for (unsigned index : llvm::seq(count)) {
    if (isListed && !isListed(index))
      continue;
    StringRef name = nameOf(function, index);
    texts.push_back(name.empty() ? std::to_string(index) : ("\"" + name + "\"").str());
  }
  return texts.empty() ? "none" : llvm::join(texts, ", ");
}

} // namespace

std::optional<unsigned> findArgument(func::FuncOp function, StringRef wanted) {
  return find(function, wanted, function.getNumArguments(), argumentName);
}

std::optional<unsigned> findOutput(func::FuncOp function, StringRef wanted) {
  return find(function, wanted, function.getNumResults(), outputName);
}

std::optional<unsigned> findInput(func::FuncOp function, StringRef wanted) {
  for (unsigned index : llvm::seq(function.getNumArguments()))
    if (auto name = function.getArgAttrOfType<StringAttr>(index, graph::kInput);
        name && name == wanted)
      return index;
  return std::nullopt;
}

std::string listArguments(func::FuncOp function) {
  return list(function, function.getNumArguments(), argumentName);
}

std::string listInputs(func::FuncOp function) {
  return list(function, function.getNumArguments(), argumentName,
              [&](unsigned index) { return bool(function.getArgAttr(index, graph::kInput)); });
}

std::string listParameters(func::FuncOp function) {
  return list(function, function.getNumArguments(), argumentName,
              [&](unsigned index) { return bool(function.getArgAttr(index, graph::kParameter)); });
}

std::string listOutputs(func::FuncOp function) {
  return list(function, function.getNumResults(), outputName);
}

FailureOr<SmallVector<bool>> matchParameters(func::FuncOp model, ArrayRef<std::string> globs,
                                             StringRef what) {
  SmallVector<bool> matched(model.getNumArguments(), false);
  for (StringRef text : globs) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    if (!glob)
      return model.emitError() << what << ": " << llvm::toString(glob.takeError());
    bool hasMatched = false;
    for (unsigned argument : llvm::seq(model.getNumArguments()))
      if (auto name = model.getArgAttrOfType<StringAttr>(argument, graph::kParameter);
          name && glob->match(name))
        matched[argument] = hasMatched = true;
    if (!hasMatched)
      return model.emitError() << what << ": \"" << text << "\" matches no parameter; there are "
                               << listParameters(model);
  }
  return matched;
}

} // namespace sheaf::training
