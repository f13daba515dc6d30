// Chooses vectors, units and points, and how many threads share a unit.
#include "passes/lowering/kernel/gpu/thread_plan.h"

#include "passes/lowering/kernel/stored_type.h"
#include "llvm/ADT/bit.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

static constexpr int64_t accessBytes = 16; // of one load or store of a thread, at most
static constexpr int64_t threadsOfBlock = 256;
static constexpr int64_t maxCooperating = 512;
// Elements that a thread holds of all operands and results together: more would spill.
static constexpr int64_t maxHeldElements = 96, maxWidth = 8;
// Of clusters with functions that take a long computation in f64.
static constexpr int64_t maxLibraryWidth = 2;
// Points of a thread that stay in registers, in elements of one operand.
static constexpr int64_t maxKeptElements = 32;
// Of a block, beside what reductions need.
static constexpr int64_t maxTurnedBytes = 40 << 10;
// Blocks that keep every multiprocessor of a large chip busy, and the least that a block should do to
// pay for combining its part with others.
static constexpr int64_t enoughBlocks = 512, minPointsOfBlock = 2048;

namespace {

class Planner {
public:
  Planner(graph::ClusterOp cluster, const ClusterBuffers &buffers, const IterationSpace &space,
          const ClusterProfile &profile, size_t numPasses)
      : cluster(cluster), space(space), profile(profile),
        groups(cluster, buffers, space, profile.counted), numPasses(numPasses) {
    for (const BufferLayout &layout :
         llvm::concat<const BufferLayout>(buffers.operands, buffers.results))
      baseAlignments.push_back(layout.alignment);
  }

  ThreadPlan run() {
    plan.reduces = space.hasReduction();
    BitVector kept = space.reduced;
    reduced = groups.collapse(space.reduced);
    rows = groups.collapse(kept.flip());
    int64_t typical = accessBytes / smallestElement();
    plan.reducesLanes =
        !reduced.empty() && groups.bestCost(reduced, typical) <= groups.bestCost(rows, typical);
    lane = groups.takeLane(plan.reducesLanes ? reduced : rows, typical);
    if (!plan.reduces)
      takeTile();
    chooseWidth();
    fillDims();
    plan.numUnits = extentOf(plan.unitDims);
    plan.numPoints = extentOf(plan.pointDims);
    if (plan.tile)
      shareTile();
    else if (plan.reduces)
      shareUnits();
    else
      plan.columns = threadsOfBlock;
    plan.hasShortOffsets = needsShortOffsets();
    return plan;
  }

private:
  int64_t smallestElement() const {
    int64_t smallest = accessBytes;
    for (unsigned i = 0; i < groups.numBuffers(); ++i)
      smallest = std::min(smallest, groups.elementBytes(i));
    return smallest;
  }

  /// The power of two that divides the addresses of the vectors of access `i`, whose steps along the
  /// lane are `width` elements.
  int64_t alignmentOf(unsigned i, int64_t width) const {
    int64_t bytes = groups.elementBytes(i), alignment = std::min(baseAlignments[i], accessBytes);
    auto take = [&](int64_t stride) { alignment = std::gcd(alignment, std::abs(stride) * bytes); };
    for (const AccessGroup &group : llvm::concat<const AccessGroup>(rows, reduced))
      take(group.strides[i]);
    take(lane.strides[i] * width);
    return std::max(alignment, bytes); // Elements always lie at multiples of their size.
  }

  /// Finds the dim along which operands lie that are far apart along the lanes; that of most elements.
  void takeTile() {
    int64_t most = 0;
    AccessGroup *best = nullptr;
    for (AccessGroup &group : rows) {
      int64_t gained = 0;
      for (unsigned i : turnedAlong(group))
        gained += groups.numElements(i);
      if (gained > most && std::min(group.extent, lane.extent) >= ThreadTile::side / 2) {
        most = gained;
        best = &group;
      }
    }
    if (!best)
      return;
    plan.tile = ThreadTile{lane.extent, best->extent, best->strides, turnedAlong(*best)};
    rows.erase(rows.begin() + (best - rows.data()));
  }

  /// Those that fit into shared memory; others are read as they lie.
  SmallVector<unsigned> turnedAlong(const AccessGroup &group) const {
    SmallVector<unsigned> turned;
    int64_t left = maxTurnedBytes;
    for (unsigned i = 0; i < groups.numOperands(); ++i) {
      int64_t bytes = ThreadTile::side * ThreadTile::pitch * groups.elementBytes(i);
      if (group.strides[i] != 1 || lane.strides[i] == 0 || lane.strides[i] == 1 || bytes > left)
        continue;
      turned.push_back(i);
      left -= bytes;
    }
    return turned;
  }

  /// As many elements as one access of the smallest contiguous element type takes, which all vectors
  /// along the lanes have.
  void chooseWidth() {
    int64_t width = 1, varyingOperands = 0;
    if (plan.tile) {
      fillLanes(width);
      return;
    }
    for (unsigned i = 0; i < groups.numBuffers(); ++i) {
      if (lane.strides[i] == 1)
        width = std::max(width, accessBytes / groups.elementBytes(i));
      varyingOperands += lane.strides[i] != 0 && i < groups.numOperands();
    }
    width = std::min(width, callsLibrary() ? maxLibraryWidth : maxWidth);
    while (width > 2 && width * varyingOperands > maxHeldElements)
      width /= 2;
    // What is left over of a single long dim goes to threads of its own.
    bool isSingle = !plan.reduces && rows.empty();
    while (width > 1 && lane.extent % width != 0 && !(isSingle && lane.extent > width))
      width /= 2;
    plan.tailElements = lane.extent % width;
    fillLanes(width);
  }

  void fillLanes(int64_t width) {
    plan.width = width;
    plan.laneStrides = lane.strides;
    for (unsigned i = 0; i < groups.numBuffers(); ++i)
      plan.alignments.push_back(alignmentOf(i, width));
  }

  bool callsLibrary() const {
    return llvm::any_of(profile.ops, [](const auto &entry) { return entry.second.callsLibrary; });
  }

  void fillDims() {
    auto add = [&](SmallVector<ThreadDim> &dims, const AccessGroup &group) {
      dims.push_back({group.extent, group.strides});
    };
    for (const AccessGroup &group : rows)
      add(plan.unitDims, group);
    for (const AccessGroup &group : reduced)
      add(plan.pointDims, group);
    if (plan.tile) {
      plan.pointDims.push_back({ThreadTile::side, plan.tile->strides});
      return;
    }
    ThreadDim vectors{lane.extent / plan.width, lane.strides};
    for (int64_t &stride : vectors.strides)
      stride *= plan.width;
    (plan.reducesLanes ? plan.pointDims : plan.unitDims).push_back(vectors);
  }

  static int64_t extentOf(ArrayRef<ThreadDim> dims) {
    int64_t extent = 1;
    for (const ThreadDim &dim : dims)
      extent *= dim.extent;
    return extent;
  }

  /// Operands and results that differ from point to point.
  int64_t numVaryingBuffers() {
    auto varies = [&](Value value) {
      return space.factorsOf(value).anyCommon(space.reduced);
    };
    Block *body = cluster.getBodyBlock();
    int64_t count = llvm::count_if(body->getArguments(), varies) +
                    llvm::count_if(body->getTerminator()->getOperands(), varies);
    return std::max<int64_t>(count, 1);
  }

  void shareUnits() {
    int64_t keptPoints = std::max<int64_t>(
        1, std::min(maxKeptElements, maxHeldElements / numVaryingBuffers()) / plan.width);
    if (plan.reducesLanes)
      shareRows(keptPoints);
    else
      shareColumns();
    if (numPasses == 1)
      split();
    int64_t share = llvm::divideCeil(plan.pointsPerSplit(), plan.cooperating);
    plan.keepsPoints = share <= keptPoints;
    plan.pointsPerStep =
        plan.keepsPoints ? std::max<int64_t>(share, 1) : std::max<int64_t>(keptPoints / 2, 1);
  }

  void shareTile() {
    plan.numUnits *= plan.tile->blocks() * plan.tile->paddedLanes();
    plan.columns = ThreadTile::side;
    plan.cooperating = threadsOfBlock / plan.columns;
    plan.pointsPerStep = ThreadTile::side / plan.cooperating;
  }

  /// A part of a warp for short rows, a warp, or a block.
  void shareRows(int64_t keptPoints) {
    int64_t points = std::max<int64_t>(plan.numPoints, 1);
    plan.cooperating = std::min(warpThreads, int64_t(llvm::bit_ceil(uint64_t(points))));
    if (points > plan.cooperating * keptPoints) {
      // Half of what a thread could keep: more threads hide more of the memory's delay.
      int64_t wanted = llvm::divideCeil(points, std::max<int64_t>(keptPoints / 2, 1));
      plan.cooperating =
          std::clamp(int64_t(llvm::bit_ceil(uint64_t(wanted))), 2 * warpThreads, maxCooperating);
    }
    plan.columns = std::max<int64_t>(threadsOfBlock / 2 / plan.cooperating, 1);
    while (plan.columns > 1 && plan.columns / 2 >= plan.numUnits)
      plan.columns /= 2;
  }

  /// Neighbouring threads take neighbouring vectors of columns, so that memory is read in runs.
  void shareColumns() {
    plan.columns = std::min(warpThreads,
                            int64_t(llvm::bit_ceil(uint64_t(std::max<int64_t>(plan.numUnits, 1)))));
    int64_t most = llvm::bit_ceil(uint64_t(std::max<int64_t>(plan.numPoints, 1)));
    plan.cooperating = std::min(threadsOfBlock / plan.columns, most);
  }

  void split() {
    int64_t perBlock = std::max<int64_t>(minPointsOfBlock / plan.width, 4 * plan.cooperating);
    int64_t wanted = enoughBlocks / std::max<int64_t>(plan.unitBlocks(), 1);
    plan.splits = std::max<int64_t>(1, std::min(wanted, plan.numPoints / perBlock));
  }

  bool needsShortOffsets() const {
    auto isShort = [](int64_t value) { return value < std::numeric_limits<int32_t>::max(); };
    // A thread past the last one counts too, before it is told to do nothing.
    if (!isShort(plan.gridBlocks() * plan.blockThreads() * plan.width) ||
        !isShort(plan.numPoints + plan.pointsPerStep * plan.cooperating * 2))
      return false;
    for (unsigned i = 0; i < groups.numAccesses(); ++i) {
      int64_t reach = std::abs(lane.strides[i]) * lane.extent;
      if (plan.tile)
        reach += std::abs(plan.tile->strides[i]) * plan.tile->extent;
      for (const AccessGroup &group : llvm::concat<const AccessGroup>(rows, reduced))
        reach += std::abs(group.strides[i]) * group.extent;
      if (!isShort(reach))
        return false;
    }
    return true;
  }

  graph::ClusterOp cluster;
  const IterationSpace &space;
  const ClusterProfile &profile;
  AccessGroups groups;
  size_t numPasses;
  SmallVector<int64_t> baseAlignments;
  SmallVector<AccessGroup> reduced, rows;
  AccessGroup lane;
  ThreadPlan plan;
};

} // namespace

ThreadPlan ThreadPlan::of(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                          const IterationSpace &space, const ClusterProfile &profile,
                          size_t numPasses) {
  return Planner(cluster, buffers, space, profile, numPasses).run();
}
