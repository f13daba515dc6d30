// Finds ops that don't change in a loop and moves those before it that are worth keeping.
#include "passes/sharding/loop_invariants.h"

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"
#include "passes/analysis/byte_count.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace sheaf::sharding {
namespace {

template <typename Values> int64_t bytesOf(const Values &values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes = addBytes(bytes, memoryBytes(cast<ShapedType>(value.getType())).value_or(0));
  return bytes;
}

/// One loop at work.
class Invariants {
public:
  explicit Invariants(graph::LoopOp loop) : loop(loop) {
    for (Operation &op : loop.getBodyBlock()->without_terminator())
      if (isPure(&op))
        addIfSame(&op);
  }

  void hoist() {
    llvm::DenseSet<Operation *> kept;
    for (auto &[op, sources] : llvm::reverse(sourcesOf)) {
      if (!kept.contains(op) && !isWorthKeeping(op, sources))
        continue;
      kept.insert(op);
      forEachOperand(op, [&](Value operand) {
        if (Operation *definition = operand.getDefiningOp())
          kept.insert(definition);
      });
    }
    for (auto &[op, sources] : sourcesOf)
      if (kept.contains(op))
        op->moveBefore(loop);
  }

private:
  /// Values from outside.
  using Sources = llvm::SmallSetVector<Value, 4>;

  static bool isWorthKeeping(Operation *op, const Sources &sources) {
    return isa<dist::DistDialect>(op->getDialect()) ||
           bytesOf(op->getResults()) <= bytesOf(sources);
  }

  /// Visits what `op`, with all that is in it, takes from around it.
  static void forEachOperand(Operation *op, function_ref<void(Value)> visit) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          visit(operand);
    });
  }

  void addIfSame(Operation *op) {
    bool isSame = true;
    Sources sources;
    forEachOperand(op, [&](Value operand) {
      Operation *definition = operand.getDefiningOp();
      if (auto known = sourcesOf.find(definition); known != sourcesOf.end())
        sources.insert_range(known->second);
      else if (operand.getParentBlock() == loop.getBodyBlock())
        isSame = false;
      else if (!definition || !definition->hasTrait<OpTrait::ConstantLike>())
        sources.insert(operand); // Constants are in the program, wherever they are used.
    });
    if (isSame)
      sourcesOf[op] = std::move(sources);
  }

  graph::LoopOp loop;
  /// Of each op that does not change, what it is made of.
  llvm::MapVector<Operation *, Sources> sourcesOf;
};

} // namespace

void hoistInvariants(Operation *root) {
  root->walk([](graph::LoopOp loop) { Invariants(loop).hoist(); }); // Innermost first.
}

} // namespace sheaf::sharding
