// The letters and kinds of factor rules that depend on shapes.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_FACTOR_LETTERS_H
#define SHEAF_DIALECTS_GRAPH_OPS_FACTOR_LETTERS_H

#include "dialects/interfaces/emitter.h"
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

/// States the kind of each factor of `dim`.
inline void stateKind(FactorRule &rule, const FactorRule::Dim &dim, FactorKind kind) {
  for (char factor : dim)
    rule.kinds.push_back({factor, kind});
}

/// The kind of a factor whose parts combine to a sum, maximum or minimum: ranks combine numbers so, and
/// booleans to maxima and minima; whatever else is needed whole.
inline FactorKind combinedKind(FactorKind kind, mlir::Type elementType) {
  bool isSumOfBooleans = kind == FactorKind::reduction && elementType.isInteger(1);
  return Emitter::canCompute(elementType) && !isSumOfBooleans ? kind : FactorKind::needReplication;
}

/// States that `dim`, if it has a factor, is needed whole on every rank.
inline void replicate(FactorRule &rule, const FactorRule::Dim &dim) {
  stateKind(rule, dim, FactorKind::needReplication);
}

/// States the size of the only factor of `dim`, if it has one.
inline void stateSize(FactorRule &rule, const FactorRule::Dim &dim, int64_t size) {
  for (char factor : dim)
    rule.sizes.push_back({factor, size});
}

/// The factors of `major`, then those of `minor`.
inline FactorRule::Dim compound(FactorRule::Dim major, const FactorRule::Dim &minor) {
  major.append(minor);
  return major;
}

} // namespace sheaf::graph

#endif
