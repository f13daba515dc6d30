// Finds the heads of attention.
#include "passes/sharding/attention_heads.h"

using namespace mlir;

namespace sheaf::sharding {
namespace {

using Place = AttentionHeads::Place;

/// The last batch dim of a contraction of two activations with batch and heads; none of others.
std::optional<unsigned> headsOf(graph::ContractOp op, const Weights &weights) {
  if (op.getLhsBatch().size() < 2 || weights.contains(op.getLhs()) || weights.contains(op.getRhs()))
    return std::nullopt;
  return unsigned(op.getLhsBatch().size() - 1);
}

/// The products of queries and keys from which a softmax over another dim than the heads makes `weights`.
graph::ContractOp productsBehind(Place attended, const Weights &weights) {
  graph::ContractOp products;
  visitBefore(attended.value, attended.dim, weights, [&](Operation *op, unsigned dim) {
    auto softmax = dyn_cast<graph::SoftmaxOp>(op);
    if (softmax && softmax.getDim() != dim)
      visitBefore(softmax.getOperand(), dim, weights, [&](Operation *op, unsigned dim) {
        auto found = dyn_cast<graph::ContractOp>(op);
        if (found && headsOf(found, weights) == dim)
          products = found;
        return !found;
      });
    return !softmax && !isa<graph::ContractOp>(op);
  });
  return products;
}

std::optional<AttentionHeads> ofProducts(graph::ContractOp op, const Weights &weights) {
  std::optional<unsigned> heads = headsOf(op, weights);
  if (!heads)
    return std::nullopt;
  Place sides[] = {{op.getLhs(), unsigned(op.getLhsBatch()[*heads])},
                   {op.getRhs(), unsigned(op.getRhsBatch()[*heads])}};
  for (auto [attended, value] : {std::pair(sides[0], sides[1]), std::pair(sides[1], sides[0])}) {
    graph::ContractOp products = productsBehind(attended, weights);
    if (!products)
      continue;
    unsigned dim = *headsOf(products, weights);
    return AttentionHeads{op,
                          {products.getLhs(), unsigned(products.getLhsBatch()[dim])},
                          {products.getRhs(), unsigned(products.getRhsBatch()[dim])},
                          value,
                          {op.getResult(), *heads}};
  }
  return std::nullopt;
}

} // namespace

std::optional<AttentionHeads> AttentionHeads::of(Operation *op, const Weights &weights) {
  if (auto attention = dyn_cast<graph::AttentionOp>(op))
    return AttentionHeads{op,
                          {attention.getQuery(), 1},
                          {attention.getKey(), 1},
                          {attention.getValue(), 1},
                          {attention.getResult(), 1}};
  auto product = dyn_cast<graph::ContractOp>(op);
  return product ? ofProducts(product, weights) : std::nullopt;
}

} // namespace sheaf::sharding
