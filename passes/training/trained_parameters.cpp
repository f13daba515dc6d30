// Matches parameters with the globs of options.
#include "passes/training/trained_parameters.h"

#include "passes/training/model_names.h"
#include "passes/training/reverse_sweep.h"
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// The factor of the learning rate of each argument.
FailureOr<SmallVector<double>> matchRates(func::FuncOp model, ArrayRef<std::string> rates) {
  SmallVector<double> factors(model.getNumArguments(), 1.0);
  for (StringRef text : rates) {
    auto [glob, number] = text.rsplit('=');
    double factor;
    if (glob.empty() || number.getAsDouble(factor) || !std::isfinite(factor) || factor < 0.0)
      return model.emitError() << "lr-scale \"" << text
                               << "\" is not of the form GLOB=FACTOR, the factor not negative";
    FailureOr<SmallVector<bool>> matched =
        matchParameters(model, glob.str(), "parameters of lr-scale");
    if (failed(matched))
      return failure();
    for (auto [known, isMatched] : llvm::zip_equal(factors, *matched))
      known = isMatched ? factor : known;
  }
  return factors;
}

} // namespace

FailureOr<TrainedValues> findTrainedValues(func::FuncOp model, const ParameterOptions &options,
                                           const Optimizer &optimizer) {
  if (!options.adamwFor.empty() && !optimizer.other())
    return model.emitError() << "adamw-for has no effect: the optimizer has one rule for all";
  auto frozen = matchParameters(model, options.frozen, "frozen parameters");
  auto noDecay = matchParameters(model, options.noDecay, "parameters without decay");
  auto byOther = matchParameters(model, options.adamwFor, "parameters for adamw");
  auto factors = matchRates(model, options.rates);
  if (failed(frozen) || failed(noDecay) || failed(byOther) || failed(factors))
    return failure();
  TrainedValues result;
  auto statistics =
      BatchStatistics::create(model, [&](unsigned argument) { return (*frozen)[argument]; });
  if (failed(statistics))
    return failure();
  result.statistics = std::move(*statistics);
  for (unsigned argument : llvm::seq(model.getNumArguments())) {
    auto name = model.getArgAttrOfType<StringAttr>(argument, kParameter);
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[argument]);
    if (!name || !hasGradients(type) || (*frozen)[argument] ||
        llvm::is_contained(result.statistics.arguments(), argument))
      continue;
    bool isOwn = optimizer.isFor(type) && !(*byOther)[argument];
    result.parameters.push_back({argument, name, isOwn ? &optimizer : optimizer.other(),
                                 !(*noDecay)[argument], (*factors)[argument]});
  }
  if (result.parameters.empty())
    return model.emitError() << "nothing to train: the model has no float parameter that is not "
                                "frozen";
  return result;
}

} // namespace sheaf::training
