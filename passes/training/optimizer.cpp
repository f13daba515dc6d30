// The optimizers by name.
#include "passes/training/optimizer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace sheaf::training {
namespace {

struct Kind {
  StringLiteral name;
  OptimizerFactory create;
};

constexpr Kind kinds[] = {{"adam", createAdam}, {"adamw", createAdam}, {"sgd", createSgd}};

} // namespace

Optimizer::~Optimizer() = default;

std::unique_ptr<Optimizer> Optimizer::create(const OptimizerOptions &options,
                                             function_ref<InFlightDiagnostic()> emitError) {
  for (const Kind &kind : kinds)
    if (kind.name == options.kind)
      return kind.create(options, emitError);
  auto names = llvm::map_range(kinds, [](const Kind &kind) { return kind.name; });
  emitError() << "optimizer \"" << options.kind << "\" is unknown; there are "
              << llvm::join(names, ", ");
  return nullptr;
}

Value spreadLike(graph::PrimitiveBuilder &b, Value value, Value like) {
  RankedTensorType type = graph::typeOf(like);
  return b.broadcast(b.cast(value, type.getElementType()), type.getShape(), {});
}

} // namespace sheaf::training
