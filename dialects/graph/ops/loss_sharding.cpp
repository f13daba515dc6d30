// Factor rules of losses.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace sheaf;
using namespace sheaf::graph;

/// Rows are independent. Classes are needed whole: only the decomposition of the op can be cut there.
FactorRule CrossEntropyOp::getShardingRule() {
  FactorRule::Tensor logits = FactorLetters().take(getLogits().getType().getRank());
  FactorRule::Tensor rows(logits.begin(), logits.end() - 1);
  FactorRule rule{{logits, rows}, {rows}};
  replicate(rule, logits.back());
  return rule;
}
