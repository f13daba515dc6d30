// The optimizers by name, what each can be told, and what several of them compute.
#include "passes/training/optimizer.h"

#include "passes/training/option_range.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// Options that have an effect on some kinds only.
enum : unsigned { kMomentum = 1, kNesterov = 2, kBetas = 4, kEpsilon = 8, kRelative = 16 };

struct Kind {
  StringLiteral name;
  OptimizerFactory create;
  unsigned options;
};

constexpr Kind kinds[] = {{"adafactor", createAdafactor, kEpsilon | kRelative},
                          {"adam", createAdam, kBetas | kEpsilon},
                          {"adamw", createAdam, kBetas | kEpsilon},
                          {"lion", createLion, kBetas},
                          {"muon", createMuon, kMomentum | kBetas | kEpsilon},
                          {"sgd", createSgd, kMomentum | kNesterov}};

LogicalResult check(const Kind &kind, const OptimizerOptions &options,
                    function_ref<InFlightDiagnostic()> emitError) {
  struct Given {
    StringLiteral name;
    unsigned option;
    bool isGiven;
  };
  for (const Given &given : {Given{"momentum", kMomentum, options.momentum.has_value()},
                             Given{"nesterov", kNesterov, options.isNesterov},
                             Given{"betas", kBetas, options.beta1 || options.beta2},
                             Given{"eps", kEpsilon, options.epsilon.has_value()},
                             Given{"relative-step", kRelative, options.isRelative}})
    if (given.isGiven && !(kind.options & given.option))
      return emitError() << given.name << " has no effect on optimizer " << kind.name;
  for (auto [name, value] :
       {std::pair("momentum", options.momentum), std::pair("the first of betas", options.beta1),
        std::pair("the second of betas", options.beta2)})
    if (value && failed(checkDecay(name, *value, emitError)))
      return failure();
  if (options.epsilon && failed(checkSize("eps", *options.epsilon, emitError)))
    return failure();
  if (options.isNesterov && options.momentum.value_or(0.0) == 0.0)
    return emitError() << "nesterov has no effect without momentum";
  return success();
}

} // namespace

Optimizer::~Optimizer() = default;

std::unique_ptr<Optimizer> Optimizer::create(const OptimizerOptions &options,
                                             function_ref<InFlightDiagnostic()> emitError) {
  for (const Kind &kind : kinds)
    if (kind.name == options.kind)
      return succeeded(check(kind, options, emitError)) ? kind.create(options) : nullptr;
  auto names = llvm::map_range(kinds, [](const Kind &kind) { return kind.name; });
  emitError() << "optimizer \"" << options.kind << "\" is unknown; there are "
              << llvm::join(names, ", ");
  return nullptr;
}

Value spreadLike(PrimitiveBuilder &b, Value value, Value like) {
  RankedTensorType type = typeOf(like);
  return b.broadcast(b.cast(value, type.getElementType()), type.getShape(), {});
}

Value mix(PrimitiveBuilder &b, Value old, double beta, Value value) {
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, old, beta),
                  b.binary(BinaryKind::mul, value, 1.0 - beta));
}

Value decayed(PrimitiveBuilder &b, const ParameterStep &step) {
  if (step.weightDecay == 0.0)
    return step.parameter;
  Value decay = b.binary(BinaryKind::mul, step.learningRate, -step.weightDecay);
  Value kept = b.binary(BinaryKind::add, decay, 1.0);
  return b.binary(BinaryKind::mul, step.parameter, spreadLike(b, kept, step.parameter));
}

} // namespace sheaf::training
