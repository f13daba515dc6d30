// Folds of reductions.
#include "dialects/graph/fold/arithmetic.h"
#include "dialects/graph/fold/places.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Combines elements; floats in double, rounded once at the end.
class Reduction {
public:
  Reduction(ReduceKind kind, Type elementType)
      : kind(kind), element(elementType),
        total(element.isFloat() ? Float64Type::get(elementType.getContext()) : elementType) {}

  std::optional<Bits> combine(std::optional<Bits> sum, Bits bits) const {
    if (element.isFloat())
      bits = *total.fromDouble(element.toDouble(bits));
    return sum ? evaluate(combinerOf(kind), total, *sum, bits) : bits;
  }

  /// `sum` is none when nothing was combined.
  std::optional<Bits> finish(std::optional<Bits> sum) const {
    if (!sum)
      return neutralOf(kind, element);
    return element.isFloat() ? element.fromDouble(total.toDouble(*sum)) : sum;
  }

private:
  ReduceKind kind;
  Element element, total;
};

} // namespace

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  if (!operand || !isSmall(operand->getType()) || !isSmall(getType()))
    return nullptr;
  // The place of an element in the result: reduced dims take no step.
  Places places{operand->getType().getShape(), SmallVector<int64_t>(operand->getType().getRank())};
  SmallVector<int64_t> strides = stridesOf(getType().getShape());
  size_t kept = 0;
  for (auto [dim, step] : llvm::enumerate(places.steps))
    if (!llvm::is_contained(getDims(), int64_t(dim)))
      step = strides[kept++];
  Reduction reduction(getKind(), getType().getElementType());
  SmallVector<std::optional<Bits>> sums(getType().getNumElements());
  int64_t index = 0;
  places.forEach(
      [&](int64_t place) { sums[place] = reduction.combine(sums[place], (*operand)[index++]); });
  SmallVector<Bits> elements;
  for (std::optional<Bits> sum : sums) {
    std::optional<Bits> element = reduction.finish(sum);
    if (!element)
      return nullptr;
    elements.push_back(*element);
  }
  return makeConstant(getType(), elements);
}
