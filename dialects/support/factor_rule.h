// The factor rule of an op: which dims of operands and results move together under sharding.
#ifndef SHEAF_DIALECTS_SUPPORT_FACTOR_RULE_H
#define SHEAF_DIALECTS_SUPPORT_FACTOR_RULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sheaf {

/// What sharding a factor means for the op.
enum class FactorKind {
  passThrough,     ///< each rank computes its part
  reduction,       ///< results that lack it are partial sums; through others it passes
  reductionMax,    ///< the same with maxima
  reductionMin,    ///< the same with minima
  needReplication, ///< the op needs the whole dim on every rank
  permutation      ///< elements move along the dim: halo or exchange
};

/// Whether sharding a factor of this kind makes results partial that lack it.
bool isReduction(FactorKind kind);

/// Maps each dim of each operand and result to an ordered list of factors.
///
/// Text form, one letter per factor, major first: `"mk,kn->mn"`. A dim made of several factors is
/// in parentheses, `"(ij)->ij"` splits one dim into two; a dim without factor is `_`; a tensor of
/// rank 0 is `.`. A factor that is in no result is a reduction, a sum. Kinds other than the default
/// follow the rule, `"bs->bs replicate s"`, `"bs->b reduce_max s"`, `"bs->bs,b reduce s"` (only the second
/// result is partial where `s` is cut), then sizes that no dim tells:
/// `"ab->(ac)(db) replicate cd size a=2,b=2,c=2,d=3"`.
///
/// A factor may be in one tensor only. Of a result it is passed through (an iota) or needed whole;
/// of an operand it is a reduction or needed whole.
///
/// The factors of a dim with several multiply to its extent. A dim with one factor may have another
/// extent than it: a slice keeps 3 elements of 8.
struct FactorRule {
  using Dim = llvm::SmallVector<char, 2>;
  using Tensor = llvm::SmallVector<Dim, 4>;
  using Shapes = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;
  llvm::SmallVector<Tensor, 4> operands;
  llvm::SmallVector<Tensor, 2> results;
  /// The kinds that are not the default, pass-through or reduction, of their factor.
  llvm::SmallVector<std::pair<char, FactorKind>, 8> kinds = {};
  /// The sizes of factors that are not the extent of the first dim, results first, that the factor
  /// is alone in.
  llvm::SmallVector<std::pair<char, int64_t>, 4> sizes = {};

  /// How many factors a rule can have: the letters.
  static constexpr int64_t kMaxFactors = 52;
  /// The name of the factor of this index, below `kMaxFactors`: a..z, then A..Z.
  static char nameOf(int64_t index) { return char(index < 26 ? 'a' + index : 'A' + index - 26); }

  /// Parses the text form. Errors name the offending position.
  static llvm::Expected<FactorRule> parse(llvm::StringRef text);
  /// Whether a tensor of the operands, or of the results, has a dim with `factor`.
  bool isInOperand(char factor) const;
  bool isInResult(char factor) const;
  bool isInAllResults(char factor) const;
  /// The kind of `factor`; reduction when no result holds it and none was stated.
  FactorKind kindOf(char factor) const;
  /// The size of `factor`: as stated, else the extent of the first dim, results first, that it is
  /// alone in. Requires a rule that fits the shapes.
  int64_t sizeOf(char factor, Shapes operandShapes, Shapes resultShapes) const;
  /// Fails unless the rule fits an op of these shapes: ranks agree, every factor has a size, and the
  /// factors of each dim with several multiply to its extent.
  llvm::Error check(Shapes operandShapes, Shapes resultShapes) const;
  /// The text form; `parse(str())` is the identity.
  std::string str() const;
};

} // namespace sheaf

#endif
