// The factor rule of an op: which dims of operands and results move together under sharding.
#ifndef SHEAF_DIALECTS_SUPPORT_FACTOR_RULE_H
#define SHEAF_DIALECTS_SUPPORT_FACTOR_RULE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sheaf {

/// What sharding a factor means for the op.
enum class FactorKind {
  passThrough,     ///< in operands and results: each rank computes its part
  reduction,       ///< only in operands: the result is partial
  needReplication, ///< the op needs the whole dim on every rank
  permutation      ///< elements move along the dim: halo or exchange
};

/// Maps each dim of each operand and result to an ordered list of factors.
///
/// Text form, one letter per factor, major first: `"mk,kn->mn"`. A dim made of several factors is
/// in parentheses, `"(ij)->ij"` splits one dim into two; a dim without factor is `_`; a tensor of
/// rank 0 is `.`. A factor that is in no result is a reduction. Kinds other than the default follow
/// the rule: `"bs->bs replicate s"`, `"bs->bs permute s"`.
struct FactorRule {
  using Dim = llvm::SmallVector<char, 2>;
  using Tensor = llvm::SmallVector<Dim, 4>;
  llvm::SmallVector<Tensor, 4> operands;
  llvm::SmallVector<Tensor, 2> results;
  /// The kinds that are not the default, pass-through or reduction, of their factor.
  llvm::SmallVector<std::pair<char, FactorKind>, 8> kinds;

  /// How many factors a rule can have: the letters.
  static constexpr int64_t kMaxFactors = 52;
  /// The name of the factor of this index, below `kMaxFactors`: a..z, then A..Z.
  static char nameOf(int64_t index) { return char(index < 26 ? 'a' + index : 'A' + index - 26); }

  /// Parses the text form. Errors name the offending position.
  static llvm::Expected<FactorRule> parse(llvm::StringRef text);
  /// The kind of `factor`; reduction when no result holds it and none was stated.
  FactorKind kindOf(char factor) const;
  /// The text form; `parse(str())` is the identity.
  std::string str() const;
};

} // namespace sheaf

#endif
