// Factor rules of attention and the rotary position embedding.
#include "dialects/graph/ops/factor_letters.h"
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// The factors of attention: grouped heads `(gr)` are cut as groups and members.
struct AttentionFactors {
  FactorRule rule;                 ///< the operands, and the sizes of factors
  FactorRule::Tensor result, mask; ///< the mask is empty where there is none
  bool isCausal;

  /// Of an attention, or of its gradient without its further operands.
  template <typename Op> explicit AttentionFactors(Op op) : isCausal(op.getCausal()) {
    int64_t heads = op.getQuery().getType().getDimSize(1);
    int64_t groups = op.getKey().getType().getDimSize(1);
    int64_t members = groups == 0 ? 1 : heads / groups;
    FactorRule::Dim group{'g'}, head{'g'};
    if (members > 1 && groups > 1) {
      head.push_back('r');
      rule.sizes.push_back({'r', members});
    } else if (members > 1) { // All heads share one key.
      group.clear();
      head = {'r'};
    }
    rule.operands = {
        {{'b'}, head, {'s'}, {'d'}}, {{'b'}, group, {'t'}, {'d'}}, {{'b'}, group, {'t'}, {'e'}}};
    result = {{'b'}, head, {'s'}, {'e'}};
    if (!op.getMask())
      return;
    mask = {{'b'}, head, {'s'}, {'t'}};
    for (auto [dim, extent] : llvm::enumerate(typeOf(op.getMask()).getShape()))
      if (extent == 1)
        mask[dim] = {};
  }

  /// Keys, and the head size of the scores, are needed whole; so are queries that are causal: which keys a query sees
  /// depends on its place.
  void replicateWhole() {
    if (isCausal)
      replicate(rule, {'s'});
    replicate(rule, {'t'});
    replicate(rule, {'d'});
  }
};

} // namespace

/// Batch, heads and the value's head size pass through.
FactorRule AttentionOp::getShardingRule() {
  AttentionFactors factors(*this);
  factors.rule.results = {factors.result};
  if (getMask())
    factors.rule.operands.push_back(factors.mask);
  factors.replicateWhole();
  return factors.rule;
}

/// As of attention, but that the head size of the values is needed whole, too: the gradients of weights are sums over
/// it. A gradient adds up what its operand is used for: keys and values by the members of their group and by all
/// queries, a mask by all that it is repeated for.
FactorRule AttentionGradOp::getShardingRule() {
  AttentionFactors factors(*this);
  FactorRule &rule = factors.rule;
  rule.results.assign(rule.operands.begin(), rule.operands.end());
  rule.operands.push_back(factors.result);
  if (getMask())
    rule.operands.push_back(factors.mask);
  if (getNeedsMaskGrad())
    rule.results.push_back(factors.mask);
  factors.replicateWhole();
  replicate(rule, {'e'});
  FactorKind sum = combinedKind(FactorKind::reduction, getQuery().getType().getElementType());
  for (char factor : {'b', 'g', 'r', 's'})
    if (rule.isInOperand(factor) && rule.kindOf(factor) == FactorKind::passThrough &&
        !rule.isInAllResults(factor))
      rule.kinds.push_back({factor, sum});
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
