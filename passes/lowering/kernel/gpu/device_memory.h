// Loads and stores of a thread, between stored element types and compute types.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_DEVICE_MEMORY_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_DEVICE_MEMORY_H

#include "dialects/interfaces/emitter.h"

namespace sheaf::lowering {

/// Memory that a thread reads or writes in vectors of the emitter's width.
struct DeviceMemory {
  mlir::Value base;
  mlir::Type elementType;
  /// Elements between neighbours of a vector; 0: all are one element.
  int64_t laneStride = 1;
  /// Bytes that divide the addresses of contiguous vectors.
  int64_t alignment = 1;
  /// Whether nothing is written there while the kernel runs: such memory has a cache of its own.
  bool isConstant = false;

  /// The vector whose first element is at `offset`, in the compute type.
  mlir::Value load(Emitter &e, mlir::Value offset) const;
  void store(Emitter &e, mlir::Value offset, mlir::Value vector) const;

  /// One element, as a scalar of the compute type.
  mlir::Value loadElement(Emitter &e, mlir::Value offset) const;
  void storeElement(Emitter &e, mlir::Value offset, mlir::Value scalar) const;

private:
  mlir::Value address(Emitter &e, mlir::Value offset) const;
  mlir::Value loadStored(Emitter &e, mlir::Type type, mlir::Value address, int64_t alignment) const;
};

} // namespace sheaf::lowering

#endif
