// Factor rules: the kinds and sizes of factors.
#include "dialects/support/factor_rule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;

namespace sheaf {
namespace {

bool isIn(const FactorRule::Tensor &tensor, char factor) {
  return any_of(tensor, [&](const FactorRule::Dim &dim) { return is_contained(dim, factor); });
}

bool isInAny(ArrayRef<FactorRule::Tensor> tensors, char factor) {
  return any_of(tensors, [&](const FactorRule::Tensor &tensor) { return isIn(tensor, factor); });
}

/// The extent of the first dim that `factor` is alone in.
std::optional<int64_t> extentOf(char factor, ArrayRef<FactorRule::Tensor> tensors,
                                FactorRule::Shapes shapes) {
  for (auto [tensor, shape] : zip_equal(tensors, shapes))
    for (auto [dim, extent] : zip_equal(tensor, shape))
      if (dim.size() == 1 && dim[0] == factor)
        return extent;
  return std::nullopt;
}

std::optional<int64_t> findSize(const FactorRule &rule, char factor,
                                FactorRule::Shapes operandShapes, FactorRule::Shapes resultShapes) {
  for (auto [stated, size] : rule.sizes)
    if (stated == factor)
      return size;
  if (std::optional<int64_t> extent = extentOf(factor, rule.results, resultShapes))
    return extent;
  return extentOf(factor, rule.operands, operandShapes);
}

/// That the ranks of tensors and shapes agree; `what` names them.
Error checkRanks(StringRef what, ArrayRef<FactorRule::Tensor> tensors, FactorRule::Shapes shapes) {
  if (tensors.size() != shapes.size())
    return createStringError("has " + Twine(tensors.size()) + " " + what + "s for " +
                             Twine(shapes.size()));
  for (auto [index, tensor] : enumerate(tensors))
    if (tensor.size() != shapes[index].size())
      return createStringError("has " + Twine(tensor.size()) + " dims of " + what + " " +
                               Twine(index) + ", which has rank " + Twine(shapes[index].size()));
  return Error::success();
}

/// That the factors of each dim have a size and several multiply to its extent.
Error checkDims(const FactorRule &rule, ArrayRef<FactorRule::Tensor> tensors,
                FactorRule::Shapes shapes, FactorRule::Shapes operandShapes,
                FactorRule::Shapes resultShapes) {
  for (auto [tensor, shape] : zip_equal(tensors, shapes))
    for (auto [dim, extent] : zip_equal(tensor, shape)) {
      int64_t product = 1;
      bool overflows = false;
      for (char factor : dim) {
        std::optional<int64_t> size = findSize(rule, factor, operandShapes, resultShapes);
        if (!size)
          return createStringError("does not tell the size of factor '" + Twine(factor) + "'");
        overflows |= MulOverflow(product, *size, product);
      }
      if (dim.size() > 1 && (overflows || product != extent))
        return createStringError("has the factors (" + StringRef(dim.data(), dim.size()) +
                                 "), which do not multiply to an extent of " + Twine(extent));
    }
  return Error::success();
}

} // namespace

bool isReduction(FactorKind kind) {
  return kind == FactorKind::reduction || kind == FactorKind::reductionMax ||
         kind == FactorKind::reductionMin;
}

bool FactorRule::isInOperand(char factor) const { return isInAny(operands, factor); }

bool FactorRule::isInResult(char factor) const { return isInAny(results, factor); }

bool FactorRule::isInAllResults(char factor) const {
  return all_of(results, [&](const Tensor &tensor) { return isIn(tensor, factor); });
}

FactorKind FactorRule::kindOf(char factor) const {
  for (auto [stated, kind] : kinds)
    if (stated == factor)
      return kind;
  return isInResult(factor) ? FactorKind::passThrough : FactorKind::reduction;
}

int64_t FactorRule::sizeOf(char factor, Shapes operandShapes, Shapes resultShapes) const {
  std::optional<int64_t> size = findSize(*this, factor, operandShapes, resultShapes);
  assert(size && "the rule does not fit the shapes");
  return *size;
}

Error FactorRule::check(Shapes operandShapes, Shapes resultShapes) const {
  if (Error error = checkRanks("operand", operands, operandShapes))
    return error;
  if (Error error = checkRanks("result", results, resultShapes))
    return error;
  if (Error error = checkDims(*this, operands, operandShapes, operandShapes, resultShapes))
    return error;
  return checkDims(*this, results, resultShapes, operandShapes, resultShapes);
}

} // namespace sheaf
