// Matches parameters with the globs of options.
#include "passes/training/trained_parameters.h"

#include "passes/training/model_names.h"
#include "passes/training/reverse_sweep.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// Which arguments are parameters that one of the globs matches.
FailureOr<SmallVector<bool>> match(func::FuncOp model, ArrayRef<std::string> globs,
                                   StringRef what) {
  SmallVector<bool> matched(model.getNumArguments(), false);
  for (StringRef text : globs) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    if (!glob)
      return model.emitError() << what << ": " << llvm::toString(glob.takeError());
    bool hasMatched = false;
    for (unsigned argument : llvm::seq(model.getNumArguments()))
      if (auto name = model.getArgAttrOfType<StringAttr>(argument, kParameter);
          name && glob->match(name))
        matched[argument] = hasMatched = true;
    if (!hasMatched)
      return model.emitError() << what << ": \"" << text << "\" matches no parameter; there are "
                               << listParameters(model);
  }
  return matched;
}

} // namespace

FailureOr<std::vector<TrainedParameter>> findTrainedParameters(func::FuncOp model,
                                                               const ParameterOptions &options,
                                                               const Optimizer &optimizer) {
  if (!options.adamwFor.empty() && !optimizer.other())
    return model.emitError() << "adamw-for has no effect: the optimizer has one rule for all";
  auto frozen = match(model, options.frozen, "frozen parameters");
  auto noDecay = match(model, options.noDecay, "parameters without decay");
  auto byOther = match(model, options.adamwFor, "parameters for adamw");
  if (failed(frozen) || failed(noDecay) || failed(byOther))
    return failure();
  std::vector<TrainedParameter> result;
  for (unsigned argument : llvm::seq(model.getNumArguments())) {
    auto name = model.getArgAttrOfType<StringAttr>(argument, kParameter);
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[argument]);
    if (!name || !hasGradients(type) || (*frozen)[argument])
      continue;
    bool isOwn = optimizer.isFor(type) && !(*byOther)[argument];
    result.push_back(
        {argument, name, isOwn ? &optimizer : optimizer.other(), !(*noDecay)[argument]});
  }
  if (result.empty())
    return model.emitError() << "nothing to train: the model has no float parameter that is not "
                                "frozen";
  return result;
}

} // namespace sheaf::training
