// Losses on local shards.
#include "dialects/graph/graph.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// Labels that are padding must be classes, though their losses are padding too.
FailureOr<SmallVector<Value>> CrossEntropyOp::localize(LocalShards &shards) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(getLabels().getType().getRank()));
  Value operands[] = {shards.operands()[0], shards.operandMasked(1, dims, 0)};
  auto local = CrossEntropyOp::create(shards.builder(), getLoc(), shards.resultTypes(), operands,
                                      getProperties());
  return SmallVector<Value>{local};
}
