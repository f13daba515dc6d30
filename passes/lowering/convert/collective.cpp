// Converts collectives, and what depends on the rank, to calls.
#include "dialects/dist/tensor_sharding.h"
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/collectives.h"
#include "runtime/abi/shard.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::lowering {
namespace {

MeshAttr meshOf(Operation *op, AxesAttr axes) { return findMesh(op, axes.getMesh()).getMesh(); }

/// The axes as calls have them: axis, pre-size and size of each.
SmallVector<int64_t> axisInts(Operation *op, AxesAttr axes) {
  SmallVector<int64_t> ints;
  for (Axis axis : axesOf(axes.getAxes(), meshOf(op, axes)))
    llvm::append_values(ints, int64_t(axis.index), axis.preSize, axis.size);
  return ints;
}

template <typename Op> struct ConvertCollective : OpRewritePattern<Op> {
  ConvertCollective(MLIRContext *context, StringRef callee,
                    void (*addParams)(Op op, CallParams &params))
      : OpRewritePattern<Op>(context), callee(callee), addParams(addParams) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    CallParams params(op.getContext());
    params.ints("axes", axisInts(op, op.getAxes()));
    addParams(op, params);
    return replaceWithCall(rewriter, op, callee, op->getOperands(), params, op.getResult());
  }

private:
  StringRef callee;
  void (*addParams)(Op, CallParams &);
};

/// The place of mesh coordinates along a list of axes.
int64_t placeAlong(AxisListRef axes, ArrayRef<int64_t> coordinates, ArrayRef<int64_t> extents) {
  int64_t place = 0;
  for (Axis axis : axes)
    place = place * axis.size + abi::partCoordinate(coordinates[axis.index], extents[axis.index],
                                                    axis.preSize, axis.size);
  return place;
}

/// For each rank, the rank whose block it gets.
struct ConvertPermute : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    MeshAttr mesh = meshOf(op, op.getFrom());
    SmallVector<int64_t> extents;
    for (MeshAxisAttr axis : mesh.getAxes())
      extents.push_back(axis.getSize());
    AxisList from = axesOf(op.getFrom().getAxes(), mesh), to = axesOf(op.getTo().getAxes(), mesh);
    int64_t numRanks = mesh.getNumDevices();
    std::vector<SmallVector<int64_t>> coordinates(numRanks, SmallVector<int64_t>(extents.size()));
    for (int64_t place = 0; place < numRanks; ++place)
      for (int64_t rest = place, axis = extents.size(); axis-- > 0; rest /= extents[axis])
        coordinates[place][axis] = rest % extents[axis];
    // Ranks that exchange blocks agree in what is in neither list; key both sides by that.
    std::map<std::vector<int64_t>, int64_t> senders;
    auto key = [&](int64_t place, AxisListRef axes) {
      std::vector<int64_t> key = {placeAlong(axes, coordinates[place], extents)};
      for (unsigned axis = 0; axis < extents.size(); ++axis)
        key.push_back(placeAlong(difference({Axis{axis, 1, extents[axis]}}, from),
                                 coordinates[place], extents));
      return key;
    };
    for (int64_t place = 0; place < numRanks; ++place)
      senders[key(place, from)] = place;
    auto rankAt = [&](int64_t place) {
      return mesh.getDevices().empty() ? place : mesh.getDevices()[place];
    };
    SmallVector<int64_t> sources(numRanks);
    for (int64_t place = 0; place < numRanks; ++place)
      sources[rankAt(place)] = rankAt(senders.at(key(place, to)));
    CallParams params(op.getContext());
    params.ints("sources", sources);
    return replaceWithCall(rewriter, op, abi::calls::permute, op.getOperand(), params,
                           op.getResult());
  }
};

} // namespace

void populateCollectivePatterns(RewritePatternSet &patterns) {
  namespace calls = abi::calls;
  auto add = [&]<typename Op>(StringRef callee, void (*addParams)(Op, CallParams &)) {
    patterns.add<ConvertCollective<Op>>(patterns.getContext(), callee, addParams);
  };
  add(
      calls::allReduce, +[](AllReduceOp op, CallParams &params) {
        params.text("kind", stringifyPartialKind(op.getKind()));
      });
  add(
      calls::allGather,
      +[](AllGatherOp op, CallParams &params) { params.integer("dim", op.getDim()); });
  add(
      calls::reduceScatter, +[](ReduceScatterOp op, CallParams &params) {
        params.integer("dim", op.getDim()).text("kind", stringifyPartialKind(op.getKind()));
      });
  add(
      calls::allToAll, +[](AllToAllOp op, CallParams &params) {
        params.integer("gather_dim", op.getGatherDim()).integer("split_dim", op.getSplitDim());
      });
  add(
      calls::shardSlice,
      +[](SliceOp op, CallParams &params) { params.integer("dim", op.getDim()); });
  add(calls::shardIndex, +[](ShardIndexOp, CallParams &) {});
  patterns.add<ConvertPermute>(patterns.getContext());
}

bool isCollective(StringRef callee) {
  namespace calls = abi::calls;
  return llvm::is_contained(
      {calls::allReduce, calls::allGather, calls::reduceScatter, calls::allToAll, calls::permute},
      callee);
}

} // namespace sheaf::lowering
