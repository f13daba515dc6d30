// How the threads of one launch walk the iteration space of a cluster.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_THREAD_PLAN_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_THREAD_PLAN_H

#include "passes/lowering/kernel/access_groups.h"
#include "passes/lowering/kernel/cluster_profile.h"

namespace sheaf::lowering {

inline constexpr int64_t warpThreads = 32;

/// One dim that threads count along: what a step adds to the offset of each access.
struct ThreadDim {
  int64_t extent;
  llvm::SmallVector<int64_t> strides;
};

/// A square of places along two dims, which the threads of a block share: where operands lie contiguous
/// along another dim than the lanes, they are read along that and turned in shared memory.
struct ThreadTile {
  static constexpr int64_t side = 32;

  /// Places along the lanes, and along the other dim.
  int64_t lanes, extent;
  /// Along the other dim, of each access.
  llvm::SmallVector<int64_t> strides;
  /// The operands that are turned.
  llvm::SmallVector<unsigned> turned;

  int64_t blocks() const { return llvm::divideCeil(extent, side); }
  int64_t paddedLanes() const { return llvm::alignTo(lanes, side); }
  /// Elements from one lane to the next in shared memory: banks are the more if it is odd.
  static constexpr int64_t pitch = side + 1;
};

/// The space as *units*, which are independent, and the *points* of each, over which reductions combine.
/// Vectors of `width` elements lie along the lane dim: where reductions combine lanes, a point is a
/// vector of its row; else a unit is a vector of neighbouring rows. Without reductions a unit is a
/// vector, and has one point.
///
/// `cooperating` threads share the points of a unit by turns; a block has `columns` units. Where few
/// units have many points, `splits` blocks share each: every block leaves its part in memory, and the
/// last one to end combines the parts, always in the same order.
struct ThreadPlan {
  /// Outermost first. Counts of the lane dim are of vectors.
  llvm::SmallVector<ThreadDim> unitDims, pointDims;
  /// Of neighbouring elements of a vector, in each access.
  llvm::SmallVector<int64_t> laneStrides;
  /// Bytes that divide the address of every vector, of each operand and result.
  llvm::SmallVector<int64_t> alignments;
  int64_t width = 1;
  /// Whether there are reductions, and whether they combine lanes.
  bool reduces = false, reducesLanes = false;
  int64_t numUnits = 1, numPoints = 1;
  /// Elements after the last vector, each a unit for a thread of its own.
  int64_t tailElements = 0;

  /// When there is one, units are its lanes, after which the blocks along its other dim and `unitDims`
  /// are counted, and the points of a unit are the places of one block along that.
  std::optional<ThreadTile> tile;

  int64_t columns = 1, cooperating = 1, splits = 1;
  /// Points that a thread works on at once, and whether these are all it has: then they stay in
  /// registers through all passes.
  int64_t pointsPerStep = 1;
  bool keepsPoints = true;
  /// Whether 32 bits do for all counts and offsets.
  bool hasShortOffsets = true;

  int64_t blockThreads() const { return columns * cooperating; }
  int64_t unitBlocks() const { return llvm::divideCeil(numUnits + tailElements, columns); }
  int64_t gridBlocks() const { return unitBlocks() * splits; }
  /// Points of one split, the last one's may be fewer.
  int64_t pointsPerSplit() const { return llvm::divideCeil(numPoints, splits); }
  /// Warps that work on one unit.
  int64_t warpsPerUnit() const { return llvm::divideCeil(cooperating, warpThreads); }

  /// For a cluster that takes `numPasses` over the points of a unit.
  static ThreadPlan of(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                       const IterationSpace &space, const ClusterProfile &profile,
                       size_t numPasses);
};

} // namespace sheaf::lowering

#endif
