// The strategy "dp": ranks share the batch.
#include "passes/sharding/strategies.h"

using namespace mlir;

namespace sheaf::sharding {

unsigned cutBatch(const StrategyTarget &target) {
  auto [function, annotator, weights, axis, axes] = target;
  std::optional<int64_t> batch;
  unsigned count = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!function.getArgAttr(argument.getArgNumber(), graph::kInput) || type.getRank() == 0)
      continue;
    if (!batch)
      batch = type.getDimSize(0);
    if (type.getDimSize(0) != *batch)
      continue;
    annotator.cut(argument, 0, axes);
    ++count;
  }
  if (count > 0 && *batch < sizeOf(axes))
    function.emitWarning("the batch of ")
        << *batch << " is cut into " << sizeOf(axes) << " parts: some ranks have nothing to do";
  return count;
}

} // namespace sheaf::sharding
