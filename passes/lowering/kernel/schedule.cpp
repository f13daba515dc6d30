// Chooses which dim of a cluster's space vectors walk, and what is a unit of work.
#include "passes/lowering/kernel/schedule.h"

#include "passes/lowering/kernel/vector_memory.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// Elements of a unit of element-wise work: enough to pay for finding its place, few enough to split
// small tensors among threads.
static constexpr int64_t unitElements = 1024;
// Rows that are reduced side by side: many, so that memory is read in long runs; fewer when several
// sweeps go over them, so that they stay in the cache in between.
static constexpr int64_t lanesOfOneSweep = 1024;
static constexpr int64_t lanesOfSweeps = 2 * stepLanes;

namespace {

/// Adjacent factors that every access walks as one.
struct Group {
  int64_t extent;
  SmallVector<unsigned> factors;
  SmallVector<int64_t> strides; // of each access
};

class Scheduler {
public:
  Scheduler(graph::ClusterOp cluster, const ClusterBuffers &buffers, const IterationSpace &space,
            ArrayRef<std::pair<Value, int64_t>> counted)
      : space(space), counted(counted) {
    for (auto [argument, layout] :
         llvm::zip_equal(cluster.getBodyBlock()->getArguments(), buffers.operands))
      addBuffer(argument, layout);
    numOperands = accesses.size();
    for (auto [value, layout] :
         llvm::zip_equal(cluster.getBodyBlock()->getTerminator()->getOperands(), buffers.results))
      addBuffer(value, layout);
    numBuffers = accesses.size();
    isOneSweep = llvm::count_if(*cluster.getBodyBlock(),
                                [](Operation &op) { return isa<CombineOpInterface>(op); }) == 1;
    for (auto [value, dim] : counted)
      addAlong(value, dim, /*stride=*/1, accesses.emplace_back(space.numFactors()));
  }

  Schedule run() {
    BitVector kept = space.reduced;
    SmallVector<Group> reduced = collapse(space.reduced), rows = collapse(kept.flip());
    Schedule schedule;
    schedule.reducesLanes = isBestAmong(reduced, rows);
    schedule.walksLanes = schedule.reducesLanes || reduced.empty();
    SmallVector<Group> &withLane = schedule.reducesLanes ? reduced : rows;
    Group lane = takeLane(withLane);

    SmallVector<Group> units = rows, loops = reduced;
    std::optional<Group> tile;
    if (!space.hasReduction())
      tile = takeTile(units, lane);
    if (tile) {
      schedule.tileExtent = tile->extent;
      // Lines are read once and written once.
      schedule.tileBlock =
          elementsOfLine(*tile, llvm::to_vector(llvm::seq<unsigned>(0, numOperands)));
      schedule.tileLanes =
          elementsOfLine(lane, llvm::to_vector(llvm::seq<unsigned>(numOperands, numBuffers)));
    } else if (!space.hasReduction())
      moveSmallDims(units, loops, lane.extent);
    schedule.numUnitDims = units.size();
    schedule.laneBlock = chooseBlock(schedule, lane.extent);
    schedule.loopFactors = factorsOf(loops);
    if (tile)
      schedule.loopFactors |= factorsOf(*tile);
    schedule.laneFactors = factorsOf(lane);

    SmallVector<Group> all = units;
    all.append(loops);
    all.push_back(lane);
    fill(schedule, all, tile);
    return schedule;
  }

private:
  using Strides = SmallVector<int64_t>; // of one access, per factor

  void addAlong(Value value, int64_t dim, int64_t stride, Strides &strides) {
    for (unsigned factor : llvm::reverse(space.dims.find(value)->second[dim])) {
      strides[factor] = stride;
      stride *= space.extents[factor];
    }
  }

  void addBuffer(Value value, const BufferLayout &layout) {
    auto type = cast<RankedTensorType>(value.getType());
    Strides &strides = accesses.emplace_back(space.numFactors());
    for (auto [dim, stride] : llvm::enumerate(layout.strides))
      addAlong(value, dim, stride, strides);
    elements.push_back(type.getNumElements());
    elementBytes.push_back(VectorMemory::bytesOf(type.getElementType()));
  }

  SmallVector<Group> collapse(const BitVector &factors) const {
    SmallVector<Group> groups;
    for (unsigned factor : factors.set_bits()) {
      Group group{space.extents[factor], {factor}, {}};
      for (const Strides &strides : accesses)
        group.strides.push_back(strides[factor]);
      auto continues = [&](auto pair) {
        return std::get<0>(pair) == std::get<1>(pair) * group.extent;
      };
      if (!groups.empty() &&
          llvm::all_of(llvm::zip_equal(groups.back().strides, group.strides), continues)) {
        groups.back().extent *= group.extent;
        groups.back().factors.push_back(factor);
        groups.back().strides = group.strides;
      } else {
        groups.push_back(group);
      }
    }
    return groups;
  }

  /// Time of walking the space with lanes along `group`, in arbitrary units.
  double costOfLanes(const Group &group) const {
    double cost = 0;
    for (unsigned i = 0; i < numBuffers; ++i) {
      double weight = group.strides[i] == 1 ? 1 : group.strides[i] == 0 ? 0.5 : 6;
      cost += weight * static_cast<double>(elements[i]);
    }
    double waste = static_cast<double>(llvm::divideCeil(group.extent, vectorLanes) * vectorLanes) /
                   static_cast<double>(std::max<int64_t>(group.extent, 1));
    return cost * waste;
  }

  double bestCost(ArrayRef<Group> groups) const {
    double best = std::numeric_limits<double>::infinity();
    for (const Group &group : groups)
      best = std::min(best, costOfLanes(group));
    return best;
  }

  bool isBestAmong(ArrayRef<Group> reduced, ArrayRef<Group> rows) const {
    return !reduced.empty() && bestCost(reduced) <= bestCost(rows);
  }

  /// Removes the dim that lanes should walk; the innermost of equals.
  Group takeLane(SmallVector<Group> &groups) const {
    if (groups.empty())
      return {1, {}, SmallVector<int64_t>(accesses.size())};
    double best = bestCost(groups);
    auto isBest = [&](const Group &group) { return costOfLanes(group) <= best; };
    auto found = std::find_if(groups.rbegin(), groups.rend(), isBest);
    Group lane = *found;
    groups.erase(std::next(found).base());
    return lane;
  }

  /// Removes the dim along which operands lie that are far apart along the lanes; the one of most
  /// elements.
  std::optional<Group> takeTile(SmallVector<Group> &groups, const Group &lane) const {
    int64_t most = 0;
    Group *best = nullptr;
    for (Group &group : groups) {
      int64_t gained = 0;
      for (unsigned i = 0; i < numOperands; ++i)
        if (group.strides[i] == 1 && lane.strides[i] != 0 && lane.strides[i] != 1)
          gained += elements[i];
      if (gained > most && std::min(group.extent, lane.extent) >= vectorLanes / 2) {
        most = gained;
        best = &group;
      }
    }
    if (!best)
      return std::nullopt;
    Group tile = *best;
    groups.erase(groups.begin() + (best - groups.data()));
    return tile;
  }

  /// The elements that make a line of the cache, at least a vector, of the smallest elements that
  /// one of `buffers` holds contiguous along `group`.
  int64_t elementsOfLine(const Group &group, ArrayRef<unsigned> buffers) const {
    int64_t count = vectorLanes;
    for (unsigned i : buffers)
      if (group.strides[i] == 1)
        count = std::max(count, cacheLineBytes / elementBytes[i]);
    return count;
  }

  /// Makes loops of inner unit dims, until a unit is large enough to pay for finding its place.
  static void moveSmallDims(SmallVector<Group> &units, SmallVector<Group> &loops, int64_t lanes) {
    int64_t size = lanes;
    while (!units.empty() && units.back().extent > 0 && size < unitElements &&
           size * units.back().extent <= 4 * unitElements) {
      size *= units.back().extent;
      loops.insert(loops.begin(), units.pop_back_val());
    }
  }

  int64_t chooseBlock(const Schedule &schedule, int64_t lanes) const {
    if (!schedule.walksLanes)
      return std::min(lanes, isOneSweep ? lanesOfOneSweep : lanesOfSweeps);
    bool isLong = !schedule.reducesLanes && !schedule.tileExtent && lanes > 4 * unitElements;
    return isLong ? unitElements : lanes;
  }

  BitVector factorsOf(ArrayRef<Group> groups) const {
    BitVector factors(space.numFactors());
    for (const Group &group : groups)
      for (unsigned factor : group.factors)
        factors.set(factor);
    return factors;
  }

  void fill(Schedule &schedule, ArrayRef<Group> all, const std::optional<Group> &tile) const {
    for (const Group &group : all)
      schedule.extents.push_back(group.extent);
    for (unsigned i = 0; i < accesses.size(); ++i) {
      Access access;
      for (const Group &group : all)
        access.strides.push_back(group.strides[i]);
      if (tile)
        access.tileStride = tile->strides[i];
      if (i < numOperands)
        schedule.operands.push_back(access);
      else if (i < numBuffers)
        schedule.results.push_back(access);
      else
        schedule.counters[counted[i - numBuffers]] = access;
    }
  }

  const IterationSpace &space;
  ArrayRef<std::pair<Value, int64_t>> counted;
  SmallVector<Strides> accesses; // operands, results, counters
  SmallVector<int64_t> elements; // of operands and results
  SmallVector<int64_t> elementBytes;
  unsigned numOperands, numBuffers;
  bool isOneSweep; // a single reduction
};

} // namespace

Schedule Schedule::of(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                      const IterationSpace &space, ArrayRef<std::pair<Value, int64_t>> counted) {
  return Scheduler(cluster, buffers, space, counted).run();
}

int64_t Schedule::numBlocks() const {
  if (reducesLanes)
    return 1;
  if (tileExtent)
    return llvm::divideCeil(tileExtent, tileBlock);
  return llvm::divideCeil(numLanes(), std::max<int64_t>(laneBlock, 1));
}

int64_t Schedule::numUnits() const {
  int64_t units = numBlocks();
  for (int64_t extent : unitExtents())
    units *= extent;
  return units;
}

int64_t Schedule::rowElements() const {
  int64_t elements = llvm::alignTo(laneBlock, stepLanes);
  for (int64_t extent : loopExtents())
    elements *= extent;
  return elements;
}
