// Finds softmax whose empty rows are replaced by zeros.
#include "passes/graph/visible_softmax.h"

#include "passes/graph/view.h"
#include <limits>

using namespace mlir;
using namespace sheaf::graph;

/// Whether `comparison` holds, or fails when `isInverse`, where the weights are NaN.
static bool tellsNaN(CompareOp comparison, SoftmaxOp softmax, bool isInverse) {
  return comparison.getLhs() == softmax.getResult() && comparison.getRhs() == softmax.getResult() &&
         comparison.getKind() == (isInverse ? CompareKind::eq : CompareKind::ne);
}

/// Whether the view of `comparison` holds, or fails when `isInverse`, where all scores are -inf.
static bool tellsEmptyRow(const View &view, CompareOp comparison, SoftmaxOp softmax,
                          bool isInverse) {
  if (comparison.getKind() != (isInverse ? CompareKind::ne : CompareKind::eq) ||
      splatOf(comparison.getRhs()) != -std::numeric_limits<double>::infinity())
    return false;
  auto highest = reductionOf(view.ofOperand(comparison.getLhs()), ReduceKind::max);
  return highest && highest->x == softmax.getOperand() &&
         highest->dims == ArrayRef<int64_t>(softmax.getDim());
}

SoftmaxOp sheaf::graph::visibleSoftmax(SelectOp select) {
  bool isInverse = splatOf(select.getOnFalse()) == 0;
  if (!isInverse && splatOf(select.getOnTrue()) != 0)
    return {};
  Value weights = isInverse ? select.getOnTrue() : select.getOnFalse();
  auto softmax = weights.getDefiningOp<SoftmaxOp>();
  View view = View(select.getPredicate()).peeled();
  auto comparison = view.value.getDefiningOp<CompareOp>();
  if (!softmax || int64_t(softmax.getDim()) + 1 != softmax.getType().getRank() || !comparison ||
      !(tellsNaN(comparison, softmax, isInverse) ||
        tellsEmptyRow(view, comparison, softmax, isInverse)))
    return {};
  bool isUsedElsewhere = llvm::any_of(
      softmax->getUsers(), [&](Operation *user) { return user != select && user != comparison; });
  return isUsedElsewhere ? SoftmaxOp() : softmax;
}
