// How a kernel walks the iteration space of a cluster.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_SCHEDULE_H
#define SHEAF_PASSES_LOWERING_KERNEL_SCHEDULE_H

#include "dialects/interfaces/iteration_space.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "llvm/ADT/MapVector.h"

namespace sheaf::lowering {

/// Elements of a vector, and vectors of one step.
inline constexpr int64_t vectorLanes = 16;
inline constexpr int64_t stepVectors = 4;
inline constexpr int64_t stepLanes = vectorLanes * stepVectors;
inline constexpr int64_t cacheLineBytes = 64;

/// A buffer, or a counted dim, as seen from the dims of a schedule: what one step along each of them
/// adds to the offset (in elements) or to the count.
struct Access {
  llvm::SmallVector<int64_t> strides;
  int64_t tileStride = 0;
};

/// The dims of the space, collapsed where all accesses allow it, each in one of three roles:
/// *unit* dims split the work into independent units; *loop* dims are loops within a unit, outermost
/// first; the *lane* dim is walked by vectors, innermost. Dims are numbered in this order.
struct Schedule {
  llvm::SmallVector<int64_t> extents;
  unsigned numUnitDims = 0;

  /// Whether reductions combine lanes.
  bool reducesLanes = false;
  /// Whether each pass walks over the lanes of a unit; else these are independent rows of a
  /// reduction, few enough to stay in registers.
  bool walksLanes = true;
  /// Lanes of one unit: the whole lane dim, or a block of it; then the last dim of units counts
  /// blocks.
  int64_t laneBlock = 0;
  /// The extent of the tile dim; 0 when there is none. It is there when operands lie contiguous
  /// along another dim than the lanes: units are blocks of it, and squares of `vectorLanes` places
  /// along both dims are loaded and transposed in registers.
  int64_t tileExtent = 0;
  /// Places along the tile dim in one unit: what makes a line of the cache, at least a vector.
  int64_t tileBlock = 0;
  /// Lanes of one square's neighbours: as many as make a line of the results.
  int64_t tileLanes = vectorLanes;

  /// Factors of the space that vary within a unit: of the loop dims and the tile dim, and of the
  /// lane dim.
  llvm::BitVector loopFactors, laneFactors;

  llvm::SmallVector<Access> operands;
  llvm::SmallVector<Access> results;
  llvm::MapVector<std::pair<mlir::Value, int64_t>, Access> counters;

  unsigned laneDim() const { return extents.size() - 1; }
  int64_t numLanes() const { return extents.back(); }
  /// Blocks of lanes, or of the tile dim.
  int64_t numBlocks() const;
  int64_t numUnits() const;
  /// Elements of a row of scratch memory, one for each place a pass walks over; whole vector steps.
  int64_t rowElements() const;
  llvm::ArrayRef<int64_t> unitExtents() const {
    return llvm::ArrayRef(extents).take_front(numUnitDims);
  }
  llvm::ArrayRef<int64_t> loopExtents() const {
    return llvm::ArrayRef(extents).drop_front(numUnitDims).drop_back();
  }
  /// Whether the walk over lanes is within a pass over the loops; else a unit has few lanes, all
  /// held in registers through its passes.
  /// `counted` lists the dims of results whose index ops of the body use.
  static Schedule of(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                     const IterationSpace &space,
                     llvm::ArrayRef<std::pair<mlir::Value, int64_t>> counted);
};

} // namespace sheaf::lowering

#endif
