// The strategy "sp": between products, ranks share the sequence.
#include "passes/sharding/strategies.h"

using namespace mlir;

namespace sheaf::sharding {

/// Whether elements of `value` reach a product with a weight, which sums over their last dim.
static bool feedsProduct(Value value, const Weights &weights) {
  unsigned last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  bool found = false;
  followDim(value, last, [&](OpOperand &use, unsigned dim) {
    auto op = dyn_cast<graph::ContractOp>(use.getOwner());
    auto product = op ? WeightProduct::of(op, weights) : std::nullopt;
    found |= product && &product->activation() == &use && product->rowOf(dim);
  });
  return found;
}

unsigned cutSequence(const StrategyTarget &target) {
  auto [function, annotator, weights, axis, axes] = target;
  SmallVector<Operation *> norms;
  for (Operation &op : function.getOps())
    if (isa<graph::LayerNormOp, graph::RmsNormOp>(op))
      norms.push_back(&op);
  unsigned count = 0;
  for (Operation *norm : norms) {
    auto type = cast<RankedTensorType>(norm->getOperand(0).getType());
    // [b, s, h]; what norms by heads read has more dims.
    if (type.getRank() != 3 || !feedsProduct(norm->getResult(0), weights))
      continue;
    annotator.cut(norm->getOperand(0), 1, axis);
    ++count;
  }
  return count;
}

} // namespace sheaf::sharding
