// Factor rules of attention and the rotary position embedding.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// Batch and heads pass through, with grouped heads `(gr)` cut as groups and members. So does the
/// query's sequence, unless it is causal: which keys a query sees depends on its place. Keys and the
/// head size of the scores are needed whole; the value's head size passes through.
FactorRule AttentionOp::getShardingRule() {
  int64_t heads = getQuery().getType().getDimSize(1), groups = getKey().getType().getDimSize(1);
  int64_t members = groups == 0 ? 1 : heads / groups;
  FactorRule::Dim group{'g'}, head{'g'};
  FactorRule rule;
  if (members > 1 && groups > 1) {
    head.push_back('r');
    rule.sizes.push_back({'r', members});
  } else if (members > 1) { // All heads share one key.
    group.clear();
    head = {'r'};
  }
  rule.operands = {
      {{'b'}, head, {'s'}, {'d'}}, {{'b'}, group, {'t'}, {'d'}}, {{'b'}, group, {'t'}, {'e'}}};
  rule.results = {{{'b'}, head, {'s'}, {'e'}}};
  if (Value mask = getMask()) {
    FactorRule::Tensor scores{{'b'}, head, {'s'}, {'t'}};
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(mask.getType()).getShape()))
      if (extent == 1)
        scores[dim] = {};
    rule.operands.push_back(scores);
  }
  if (getCausal())
    replicate(rule, {'s'});
  replicate(rule, {'t'});
  replicate(rule, {'d'});
  return rule;
}

/// Pairs of elements of the last dim are rotated together, so it is needed whole.
FactorRule RotaryOp::getShardingRule() {
  FactorLetters letters;
  RankedTensorType type = getType(), tableType = getCosine().getType();
  FactorRule::Tensor dims = letters.take(type.getRank()), table = dims;
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
    if (tableType.getDimSize(dim) != type.getDimSize(dim))
      table[dim] = {};
  table.back() = letters.next();
  FactorRule rule{{dims, table, table}, {dims}};
  replicate(rule, dims.back());
  replicate(rule, table.back());
  return rule;
}
