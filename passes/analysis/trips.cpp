// Multiplies the trips of the loops around an op.
#include "passes/analysis/trips.h"

#include "dialects/graph/graph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sheaf {

int64_t numRunsOf(Operation *op) {
  int64_t runs = 1;
  for (auto loop = op->getParentOfType<graph::LoopOp>(); loop;
       loop = loop->getParentOfType<graph::LoopOp>())
    if (llvm::MulOverflow(runs, int64_t(loop.getTripCount()), runs))
      return std::numeric_limits<int64_t>::max();
  return runs;
}

std::string tripsText(Operation *op) {
  if (!op->getParentOfType<graph::LoopOp>())
    return "";
  int64_t runs = numRunsOf(op);
  return " in each of " + std::to_string(runs) + (runs == 1 ? " trip" : " trips");
}

} // namespace sheaf
