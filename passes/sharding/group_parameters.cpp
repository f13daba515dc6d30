// Finds the blocks that a model repeats, and puts the parameters of each in a group.
#include "passes/sharding/passes.h"

#include "dialects/dist/dist.h"
#include "passes/analysis/byte_count.h"
#include "passes/analysis/repeats.h"
#include "passes/sharding/parameter_uses.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGGROUPPARAMETERSPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::sharding;

namespace {

/// One function at work.
class Groups {
public:
  explicit Groups(func::FuncOp function) : function(function), parameters(function) {
    for (const ParameterUse &use : parameters.all()) {
      kinds.push_back(use.kind);
      Type type = function.getArgument(use.argument).getType();
      isMatrix.push_back(cast<ShapedType>(type).getRank() > 1);
    }
  }

  void run() {
    size_t size = kinds.size();
    if (size == 0)
      return;
    cut(0, size);
    // The blocks of a model that repeats nothing are its matrices, each with the vectors behind it.
    if (begins.size() == 1)
      for (bool isFirst = true; size_t i : llvm::seq(size))
        if (isMatrix[i] && !std::exchange(isFirst, false))
          begins.push_back(i);
    Builder builder(function.getContext());
    for (auto [index, use] : llvm::enumerate(parameters.all())) {
      int64_t group = llvm::upper_bound(begins, index) - begins.begin() - 1;
      function.setArgAttr(use.argument, dist::kGroup, builder.getI64IntegerAttr(group));
    }
  }

private:
  /// Cuts the parameters from `begin` to `end` where groups begin, in order.
  void cut(size_t begin, size_t end) {
    if (begin == end)
      return;
    auto found = longestRepeat(ArrayRef(kinds).slice(begin, end - begin),
                               [&](size_t index) { return isMatrix[begin + index]; });
    if (!found) {
      begins.push_back(begin);
      return;
    }
    size_t first = begin + found->begin + bestShift(begin, *found);
    cut(begin, first);
    for (size_t block = 0; block < found->count; ++block)
      begins.push_back(first + block * found->period);
    cut(first + found->size(), end);
  }

  /// Of the places where a repeat may begin, that whose blocks hand the fewest bytes on to each other; the last of
  /// them, since the norm of a sum ends a block where it could begin the next one as well.
  size_t bestShift(size_t begin, const Repeat &repeat) const {
    size_t best = 0;
    int64_t bestBytes = std::numeric_limits<int64_t>::max();
    for (size_t shift = 0; shift <= repeat.slack; ++shift) {
      int64_t bytes = 0;
      for (size_t block = 0; block < repeat.count; ++block)
        bytes = addBytes(
            bytes, parameters.bytesAcross(begin + repeat.begin + shift + block * repeat.period));
      if (bytes <= bestBytes) {
        best = shift;
        bestBytes = bytes;
      }
    }
    return best;
  }

  func::FuncOp function;
  ParameterUses parameters;
  SmallVector<unsigned> kinds;
  SmallVector<bool> isMatrix;
  SmallVector<size_t> begins; ///< of groups
};

struct GroupParameters : sharding::impl::ShardingGroupParametersPassBase<GroupParameters> {
  using ShardingGroupParametersPassBase::ShardingGroupParametersPassBase;

  void runOnOperation() override {
    if (!getOperation().isExternal())
      Groups(getOperation()).run();
  }
};

} // namespace
