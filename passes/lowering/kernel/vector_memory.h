// Loads and stores of vectors, between stored element types and compute types.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_VECTOR_MEMORY_H
#define SHEAF_PASSES_LOWERING_KERNEL_VECTOR_MEMORY_H

#include "passes/lowering/kernel/host_emitter.h"

namespace sheaf::lowering {

/// The memory of one buffer.
struct VectorMemory {
  mlir::Value base;
  mlir::Type elementType;
  /// Elements between neighbouring lanes; 0: all lanes are one element.
  int64_t laneStride = 1;
  /// Stores go around the caches; their addresses are multiples of what is stored at once.
  bool bypassesCache = false;
  /// Too large to stay near the processor from one kernel to the next.
  bool isLarge = false;

  /// The vector whose first lane is at `offset`, in the compute type; lanes from `numLanes` on are
  /// not read.
  mlir::Value load(HostEmitter &e, mlir::Value offset, int64_t numLanes = vectorLanes) const;
  /// The vectors of neighbouring places across the lanes, where elements are contiguous: the first
  /// `numVectors` columns of `numLanes` rows that are `laneStride` elements apart.
  llvm::SmallVector<mlir::Value> loadTile(HostEmitter &e, mlir::Value offset, int64_t numLanes,
                                          int64_t numVectors) const;
  /// Stores the first `numLanes` lanes.
  void store(HostEmitter &e, mlir::Value offset, mlir::Value vector,
             int64_t numLanes = vectorLanes) const;

  /// Two neighbouring vectors of contiguous elements, as the elements of even and of odd place: that
  /// takes fewer instructions than to widen or narrow each.
  struct Pair {
    mlir::Value even, odd;
  };
  /// Whether elements of this type go in pairs: bf16 and booleans.
  static bool hasPairs(mlir::Type elementType);
  Pair loadPair(HostEmitter &e, mlir::Value offset) const;
  void storePair(HostEmitter &e, mlir::Value offset, const Pair &pair) const;
  /// Asks for the line of the cache that holds the element at `offset`, of any place.
  void prefetch(HostEmitter &e, mlir::Value offset) const;

private:
  mlir::Value address(HostEmitter &e, mlir::Value offset) const;
  mlir::Value laneAddresses(HostEmitter &e, mlir::Value offset) const;
};

} // namespace sheaf::lowering

#endif
