// The factor rule of graph.reshape: the largest common factors of two shapes.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

#include <numeric>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// The factors of one of the two shapes as they are found, from the major end and from the minor
/// end towards the middle.
struct Side {
  SmallVector<int64_t> left; ///< what no factor holds yet of each dim
  FactorRule::Tensor majors; ///< factors of each dim, major first
  FactorRule::Tensor minors; ///< factors of each dim, minor first

  explicit Side(ArrayRef<int64_t> shape)
      : left(shape), majors(shape.size()), minors(shape.size()) {}
};

/// The walk over both shapes. Elements keep their row-major order, so the outermost dims of both
/// have a common major factor, and what is left of them goes on; the same from the innermost dims
/// outwards. What is left where neither finds one is no factor of the other shape.
class CommonFactors {
public:
  CommonFactors(ArrayRef<int64_t> fromShape, ArrayRef<int64_t> toShape)
      : from(fromShape), to(toShape) {
    size_t i = 0, j = 0;
    while (skip(from, i) && skip(to, j) && share(i, from.majors[i], j, to.majors[j]))
      ;
    size_t k = fromShape.size(), l = toShape.size();
    while (skipBack(from, i, k) && skipBack(to, j, l) &&
           share(k - 1, from.minors[k - 1], l - 1, to.minors[l - 1]))
      ;
  }

  /// The rule; one without factors when there are too many of them.
  FactorRule rule() {
    FactorRule::Tensor fromDims = finish(from), toDims = finish(to);
    if (numFactors > FactorRule::kMaxFactors)
      return {{FactorRule::Tensor(fromDims.size())}, {FactorRule::Tensor(toDims.size())}};
    FactorRule rule{{fromDims}, {toDims}, kinds};
    for (auto [factor, size] : sizes)
      if (!isAlone(factor, fromDims) && !isAlone(factor, toDims))
        rule.sizes.push_back({factor, size});
    return rule;
  }

private:
  /// Goes to the next dim with something left; whether there is one.
  static bool skip(const Side &side, size_t &dim) {
    while (dim < side.left.size() && side.left[dim] == 1)
      ++dim;
    return dim < side.left.size();
  }
  static bool skipBack(const Side &side, size_t first, size_t &end) {
    while (end > first && side.left[end - 1] == 1)
      --end;
    return end > first;
  }

  /// Gives dim `i` of the operand and dim `j` of the result their common factor, if there is one.
  bool share(size_t i, FactorRule::Dim &fromDim, size_t j, FactorRule::Dim &toDim) {
    int64_t common = std::gcd(from.left[i], to.left[j]);
    if (common == 1)
      return false;
    FactorRule::Dim factor = newFactor(common);
    fromDim.append(factor);
    toDim.append(factor);
    from.left[i] /= common;
    to.left[j] /= common;
    return true;
  }

  /// The dims of a side; what is left of them is needed whole.
  FactorRule::Tensor finish(Side &side) {
    FactorRule::Tensor dims;
    for (auto [left, major, minor] : llvm::zip_equal(side.left, side.majors, side.minors)) {
      FactorRule::Dim &dim = dims.emplace_back(major);
      if (left != 1) {
        FactorRule::Dim rest = newFactor(left);
        dim.append(rest);
        for (char factor : rest)
          kinds.push_back({factor, FactorKind::needReplication});
      }
      dim.append(minor.rbegin(), minor.rend());
    }
    return dims;
  }

  FactorRule::Dim newFactor(int64_t size) {
    ++numFactors;
    FactorRule::Dim factor = letters.next();
    for (char letter : factor)
      sizes.push_back({letter, size});
    return factor;
  }

  static bool isAlone(char factor, const FactorRule::Tensor &dims) {
    return llvm::is_contained(dims, FactorRule::Dim{factor});
  }

  Side from, to;
  FactorLetters letters;
  int64_t numFactors = 0;
  decltype(FactorRule::sizes) sizes;
  decltype(FactorRule::kinds) kinds;
};

} // namespace

FactorRule ReshapeOp::getShardingRule() {
  ArrayRef<int64_t> from = getOperand().getType().getShape(), to = getType().getShape();
  if (llvm::is_contained(from, 0)) // No elements, nothing to share.
    return {{FactorRule::Tensor(from.size())}, {FactorRule::Tensor(to.size())}};
  return CommonFactors(from, to).rule();
}
