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
    return replaceWithCall(rewriter, op, callee, op->getOperands(), params, op->getResult(0));
  }

private:
  StringRef callee;
  void (*addParams)(Op, CallParams &);
};

struct ConvertWindow : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WindowOp op, PatternRewriter &rewriter) const override {
    CallParams params(op.getContext());
    params.ints("axes", axisInts(op, op.getAxes()))
        .integer("dim", op.getDim())
        .integer("extent", op.getExtent())
        .integer("places", op.getNumPlaces())
        .integer("scale", op.getScale())
        .integer("divisor", op.getDivisor())
        .integer("first", op.getFirst())
        .integer("last", op.getLast());
    return replaceWithCall(rewriter, op, abi::calls::window, op->getOperands(), params,
                           op.getResult());
  }
};

/// The place of mesh coordinates along a list of axes.
int64_t placeAlong(AxisListRef axes, ArrayRef<int64_t> coordinates, ArrayRef<int64_t> extents) {
  int64_t place = 0;
  for (Axis axis : axes)
    place = place * axis.size + abi::partCoordinate(coordinates[axis.index], extents[axis.index],
                                                    axis.preSize, axis.size);
  return place;
}

/// The ranks of a mesh in groups along a list of axes.
class RankGroups {
public:
  RankGroups(MeshAttr mesh, AxisListRef axes) : mesh(mesh), axes(axes) {
    for (MeshAxisAttr axis : mesh.getAxes())
      extents.push_back(axis.getSize());
    for (int64_t index = 0; index < mesh.getNumDevices(); ++index) {
      SmallVector<int64_t> &own = coordinates.emplace_back(extents.size());
      for (int64_t rest = index, axis = extents.size(); axis-- > 0; rest /= extents[axis])
        own[axis] = rest % extents[axis];
      members[{groupOf(index), placeOf(index, axes)}] = rankAt(index);
    }
  }

  /// For each rank, the member of its group whose place `placeOfSource` tells from the rank's index in the
  /// mesh; -1 when that is -1.
  SmallVector<int64_t> sources(function_ref<int64_t(int64_t index)> placeOfSource) const {
    SmallVector<int64_t> sources(mesh.getNumDevices(), -1);
    for (int64_t index = 0; index < mesh.getNumDevices(); ++index)
      if (int64_t place = placeOfSource(index); place >= 0)
        sources[rankAt(index)] = members.at({groupOf(index), place});
    return sources;
  }

  /// The place of an index of the mesh along axes of which those of the groups are made.
  int64_t placeOf(int64_t index, AxisListRef along) const {
    return placeAlong(along, coordinates[index], extents);
  }

private:
  /// What members of a group agree in: what is in none of its axes.
  std::vector<int64_t> groupOf(int64_t index) const {
    std::vector<int64_t> group;
    for (unsigned axis = 0; axis < extents.size(); ++axis)
      group.push_back(placeOf(index, difference({Axis{axis, 1, extents[axis]}}, axes)));
    return group;
  }

  int64_t rankAt(int64_t index) const {
    return mesh.getDevices().empty() ? index : mesh.getDevices()[index];
  }

  MeshAttr mesh;
  AxisList axes;
  SmallVector<int64_t> extents;
  std::vector<SmallVector<int64_t>> coordinates;
  std::map<std::pair<std::vector<int64_t>, int64_t>, int64_t> members;
};

LogicalResult replaceWithPermute(PatternRewriter &rewriter, Operation *op,
                                 ArrayRef<int64_t> sources) {
  CallParams params(op->getContext());
  params.ints("sources", sources);
  return replaceWithCall(rewriter, op, abi::calls::permute, op->getOperand(0), params,
                         op->getResult(0));
}

struct ConvertPermute : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    MeshAttr mesh = meshOf(op, op.getFrom());
    AxisList to = axesOf(op.getTo().getAxes(), mesh);
    RankGroups groups(mesh, axesOf(op.getFrom().getAxes(), mesh));
    return replaceWithPermute(
        rewriter, op, groups.sources([&](int64_t index) { return groups.placeOf(index, to); }));
  }
};

struct ConvertSendRecv : OpRewritePattern<SendRecvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SendRecvOp op, PatternRewriter &rewriter) const override {
    MeshAttr mesh = meshOf(op, op.getAxes());
    AxisList axes = axesOf(op.getAxes().getAxes(), mesh);
    RankGroups groups(mesh, axes);
    return replaceWithPermute(rewriter, op, groups.sources([&](int64_t index) {
      return op.getSources()[groups.placeOf(index, axes)];
    }));
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
      +[](AllGatherOp op, CallParams &params) { params.ints("dims", op.getDims()); });
  add(
      calls::reduceScatter, +[](ReduceScatterOp op, CallParams &params) {
        params.ints("dims", op.getDims()).text("kind", stringifyPartialKind(op.getKind()));
      });
  add(
      calls::allToAll, +[](AllToAllOp op, CallParams &params) {
        params.integer("gather_dim", op.getGatherDim()).integer("split_dim", op.getSplitDim());
      });
  patterns.add<ConvertWindow>(patterns.getContext());
  add(
      calls::shardSlice,
      +[](SliceOp op, CallParams &params) { params.integer("dim", op.getDim()); });
  add(calls::shardIndex, +[](ShardIndexOp, CallParams &) {});
  patterns.add<ConvertPermute, ConvertSendRecv>(patterns.getContext());
}

bool isCollective(StringRef callee) {
  namespace calls = abi::calls;
  return llvm::is_contained({calls::allReduce, calls::allGather, calls::reduceScatter,
                             calls::allToAll, calls::permute, calls::window},
                            callee);
}

} // namespace sheaf::lowering
