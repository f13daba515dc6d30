// Constants, counting and random numbers: verifiers and folds.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank();
  if (getDim() < 0 || getDim() >= rank) // (C1)
    return emitOpError("dim ") << getDim() << " is not a dim of a tensor of rank " << rank;
  return success();
}
