// Letters for factor rules that depend on the rank.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_FACTOR_LETTERS_H
#define SHEAF_DIALECTS_GRAPH_OPS_FACTOR_LETTERS_H

#include "dialects/support/factor_rule.h"

namespace sheaf::graph {

/// Hands out the factors of a rule: a, b, .., z, A, .., Z; then dims without a factor.
class FactorLetters {
public:
  /// A dim that is one new factor.
  FactorRule::Dim next() {
    if (numTaken == FactorRule::kMaxFactors)
      return {};
    return {FactorRule::nameOf(numTaken++)};
  }

  /// A tensor of `rank` dims, each a new factor.
  FactorRule::Tensor take(int64_t rank) {
    FactorRule::Tensor dims;
    for (int64_t i = 0; i < rank; ++i)
      dims.push_back(next());
    return dims;
  }

private:
  int64_t numTaken = 0;
};

/// States that `dim`, if it has a factor, is needed whole on every rank.
inline void replicate(FactorRule &rule, const FactorRule::Dim &dim) {
  for (char factor : dim)
    rule.kinds.push_back({factor, FactorKind::needReplication});
}

} // namespace sheaf::graph

#endif
