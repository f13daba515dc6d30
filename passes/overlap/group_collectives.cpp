// Joins collectives of parameters: gathers where they are first needed, reductions when the last part is ready.
#include "passes/overlap/buckets.h"
#include "passes/overlap/passes.h"
#include "passes/overlap/stored_values.h"

#include "dialects/graph/graph.h"
#include "passes/analysis/byte_count.h"
#include "passes/analysis/trips.h"

namespace sheaf::overlap {
#define GEN_PASS_DEF_OVERLAPGROUPCOLLECTIVESPASS
#include "passes/overlap/passes.h.inc"

using namespace mlir;

namespace {

/// One block of a function at work: its own, or that of a loop.
class Grouping {
public:
  Grouping(func::FuncOp function, Block &block, int64_t maxBytes, bool showsRemarks)
      : function(function), block(block), candidates(groupsOf(function), maxBytes != 0),
        maxBytes(maxBytes), showsRemarks(showsRemarks) {}

  void run() {
    joinNeeded();
    for (ArrayRef<Candidate> level : readyLevels())
      joinReady(level);
  }

private:
  static llvm::StringMap<int64_t> groupsOf(func::FuncOp function) {
    llvm::StringMap<int64_t> groups;
    for (unsigned index : llvm::seq(function.getNumArguments()))
      if (auto name = function.getArgAttrOfType<StringAttr>(index, graph::kParameter))
        if (auto group = function.getArgAttrOfType<IntegerAttr>(index, dist::kGroup))
          groups[name] = group.getInt();
    return groups;
  }

  void joinNeeded();
  std::vector<SmallVector<Candidate>> readyLevels() const;
  void joinReady(ArrayRef<Candidate> level);
  void join(const Bucket &bucket, ValueRange operands, OpBuilder &builder);

  func::FuncOp function;
  Block &block;
  Candidates candidates;
  int64_t maxBytes;
  bool showsRemarks;
};

/// Gathers of stored values, where the first of them is.
void Grouping::joinNeeded() {
  BlockOrder order(block);
  StoredValues stored(function, block, order);
  Buckets buckets(maxBytes);
  for (Operation &op : block)
    if (auto candidate = candidates.of(&op); candidate && stored.contains(op.getOperand(0)))
      buckets.add(*candidate, [&](const Bucket &bucket) {
        return stored.canFetch(op.getOperand(0), bucket.first());
      });
  for (const Bucket &bucket : buckets.all()) {
    if (bucket.members.size() == 1)
      continue;
    OpBuilder builder(bucket.first());
    SmallVector<Value> operands;
    for (const Candidate &member : bucket.members)
      operands.push_back(stored.fetch(member.op->getOperand(0), bucket.first(), builder));
    join(bucket, operands, builder);
  }
}

/// All other candidates: first those that depend on none of the others, then those that depend on these, and so on.
std::vector<SmallVector<Candidate>> Grouping::readyLevels() const {
  BlockOrder order(block);
  StoredValues stored(function, block, order);
  std::vector<SmallVector<Candidate>> levels;
  llvm::DenseMap<Operation *, size_t> depths;
  for (Operation &op : block) {
    size_t depth = 0;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          depth = std::max(depth, depths.lookup(definition));
    });
    auto candidate = candidates.of(&op);
    if (candidate && !stored.contains(op.getOperand(0))) {
      levels.resize(std::max(levels.size(), depth + 1));
      levels[depth++].push_back(*candidate);
    }
    depths[&op] = depth;
  }
  return levels;
}

/// Collectives that don't depend on each other, when their last operand is ready.
void Grouping::joinReady(ArrayRef<Candidate> level) {
  BlockOrder order(block);
  auto ready = [&](const Candidate &candidate) {
    return order.ofDefinition(candidate.op->getOperand(0));
  };
  SmallVector<Candidate> inOrder(level);
  llvm::stable_sort(inOrder,
                    [&](const Candidate &a, const Candidate &b) { return ready(a) < ready(b); });
  Buckets buckets(maxBytes);
  for (const Candidate &candidate : inOrder)
    buckets.add(candidate, [&](const Bucket &bucket) {
      return llvm::all_of(bucket.members, [&](const Candidate &member) {
        return ready(candidate) < order.ofFirstUse(member.op);
      });
    });
  for (const Bucket &bucket : buckets.all()) {
    SmallVector<Value> operands;
    for (const Candidate &member : bucket.members)
      operands.push_back(member.op->getOperand(0));
    OpBuilder builder(bucket.first());
    if (ready(bucket.members.back()) < 0) // What comes from outside is ready at once.
      builder.setInsertionPointToStart(&block);
    else
      builder.setInsertionPointAfterValue(operands.back());
    if (bucket.members.size() == 1)
      bucket.first()->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    else
      join(bucket, operands, builder);
  }
}

void Grouping::join(const Bucket &bucket, ValueRange operands, OpBuilder &builder) {
  SmallVector<Operation *> ops;
  for (const Candidate &member : bucket.members)
    ops.push_back(member.op);
  Operation *joint = bucket.first().join(builder, ops, operands);
  if (showsRemarks)
    emitRemark(ops.front()->getLoc())
        << "joins " << ops.size() << " " << joint->getName() << " of " << formatBytes(bucket.bytes)
        << ", from parameter " << bucket.members.front().parameter << " to "
        << bucket.members.back().parameter << tripsText(joint);
  ValueRange results = joint->getResults();
  for (Operation *op : ops) {
    op->replaceAllUsesWith(results.take_front(op->getNumResults()));
    results = results.drop_front(op->getNumResults());
    op->erase();
  }
}

struct GroupCollectives : impl::OverlapGroupCollectivesPassBase<GroupCollectives> {
  using OverlapGroupCollectivesPassBase::OverlapGroupCollectivesPassBase;

  void runOnOperation() override {
    if (bytes < 0) {
      getOperation().emitError("a number of bytes to join is not negative, found ")
          << int64_t(bytes);
      return signalPassFailure();
    }
    func::FuncOp function = getOperation();
    SmallVector<Block *> blocks;
    function.walk([&](graph::LoopOp loop) { blocks.push_back(loop.getBodyBlock()); });
    if (!function.isExternal())
      blocks.push_back(&function.getBody().front());
    for (Block *block : blocks)
      Grouping(function, *block, bytes, remarks).run();
  }
};

} // namespace
} // namespace sheaf::overlap
