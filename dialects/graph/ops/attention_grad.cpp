// The gradient of graph.attention: an op that holds no weights, as attention does not.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

SmallVector<Value> AttentionOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  auto gradient = AttentionGradOp::create(
      builder, getLoc(), getQuery(), getKey(), getValue(), resultGradients.front(), getMask(),
      getScale(), getCausal(), getSoftcap(), /*needsMaskGrad=*/getMask() != nullptr);
  return llvm::to_vector_of<Value>(gradient.getResults());
}
