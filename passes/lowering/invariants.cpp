// Follows parameters and constants forward through a function.
#include "passes/lowering/invariants.h"

#include "dialects/graph/graph.h"
#include "passes/lowering/bufferize/variable_table.h"
#include "passes/lowering/convert/convert.h"

using namespace mlir;

namespace sheaf::lowering {

/// What ranks gather they hold only while it is used: sharded parameters stay sharded.
static bool communicates(Operation *op) {
  auto call = dyn_cast<exec::ApplyOp>(op);
  return call && isCollective(call.getCallee());
}

Invariants::Invariants(func::FuncOp function) {
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    if ((function.getArgAttr(i, graph::kParameter) && !function.getArgAttr(i, graph::kKept)) ||
        function.getArgAttr(i, kVariable))
      values.insert(argument);
  for (Operation &op : function.getBody().front().without_terminator())
    if (isPure(&op) && !communicates(&op) &&
        llvm::all_of(op.getOperands(), [&](Value v) { return contains(v); }))
      values.insert_range(op.getResults());
}

} // namespace sheaf::lowering
