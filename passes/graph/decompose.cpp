// Replaces composite ops by primitive ones, through DecomposeOpInterface alone.
#include "passes/graph/passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSEPASS
#include "passes/graph/passes.h.inc"
} // namespace sheaf::graph

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// Collects the ops with a decomposition as they are built.
struct Worklist : OpBuilder::Listener {
  SmallVector<DecomposeOpInterface> ops;

  void add(Operation *op) {
    if (auto composite = dyn_cast<DecomposeOpInterface>(op))
      ops.push_back(composite);
  }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { add(op); }
};

struct Decompose : sheaf::graph::impl::GraphDecomposePassBase<Decompose> {
  using GraphDecomposePassBase::GraphDecomposePassBase;

  void runOnOperation() override {
    if (failed(checkNames("keep", keep)) || failed(checkNames("only", only)))
      return signalPassFailure();
    Worklist worklist;
    getOperation()->walk([&](Operation *op) { worklist.add(op); });
    OpBuilder builder(&getContext(), &worklist);
    while (!worklist.ops.empty()) {
      DecomposeOpInterface op = worklist.ops.pop_back_val();
      if (isKept(op))
        continue;
      builder.setInsertionPoint(op);
      SmallVector<Value> values = op.decompose(builder);
      if (values.empty())
        continue; // A primitive kind.
      op->replaceAllUsesWith(values);
      op->erase();
    }
  }

private:
  static bool isNamed(Operation *op, ArrayRef<std::string> names) {
    if (auto unary = dyn_cast<UnaryOp>(op))
      if (llvm::is_contained(names, stringifyUnaryKind(unary.getKind())))
        return true;
    return llvm::is_contained(names, op->getName().stripDialect());
  }

  bool isKept(Operation *op) { return isNamed(op, keep) || (!only.empty() && !isNamed(op, only)); }

  /// An entry that names nothing is an error, not a wish without effect.
  LogicalResult checkNames(StringRef list, ArrayRef<std::string> names) {
    for (StringRef name : names) {
      auto info = RegisteredOperationName::lookup(("graph." + name).str(), &getContext());
      bool isOp = info && info->hasInterface<DecomposeOpInterface>();
      std::optional<UnaryKind> kind = symbolizeUnaryKind(name);
      if (!isOp && !(kind && UnaryOp::isComposite(*kind)))
        return getOperation()->emitError() << list << " names \"" << name
                                           << "\", which is no composite op of the graph dialect";
    }
    return success();
  }
};

} // namespace
