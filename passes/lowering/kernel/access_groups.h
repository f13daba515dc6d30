// The dims that a cluster's buffers have in common: which factors every access walks as one.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_ACCESS_GROUPS_H
#define SHEAF_PASSES_LOWERING_KERNEL_ACCESS_GROUPS_H

#include "dialects/interfaces/iteration_space.h"
#include "passes/lowering/kernel/kernel_compiler.h"

namespace sheaf::lowering {

/// Adjacent factors that every access walks as one.
struct AccessGroup {
  int64_t extent;
  llvm::SmallVector<unsigned> factors;
  llvm::SmallVector<int64_t> strides; // of each access
};

/// The accesses of a cluster: to its operands, then its results, then counts along dims. Strides are in
/// elements.
class AccessGroups {
public:
  /// `counted` lists the dims of results whose index ops of the body use.
  AccessGroups(graph::ClusterOp cluster, const ClusterBuffers &buffers, const IterationSpace &space,
               llvm::ArrayRef<std::pair<mlir::Value, int64_t>> counted);

  unsigned numOperands() const { return operandCount; }
  unsigned numBuffers() const { return elements.size(); }
  unsigned numAccesses() const { return accesses.size(); }
  /// Of buffer `i`.
  int64_t numElements(unsigned i) const { return elements[i]; }
  int64_t elementBytes(unsigned i) const { return bytes[i]; }

  /// Groups of these factors, outermost first.
  llvm::SmallVector<AccessGroup> collapse(const llvm::BitVector &factors) const;

  /// Time of walking the space with vectors of `numLanes` along `group`, in arbitrary units.
  double costOfLanes(const AccessGroup &group, int64_t numLanes) const;
  double bestCost(llvm::ArrayRef<AccessGroup> groups, int64_t numLanes) const;
  /// Removes the group that lanes should walk; the innermost of equals.
  AccessGroup takeLane(llvm::SmallVector<AccessGroup> &groups, int64_t numLanes) const;

  llvm::BitVector factorsOf(llvm::ArrayRef<AccessGroup> groups) const;

private:
  using Strides = llvm::SmallVector<int64_t>; // of one access, per factor

  void addAlong(mlir::Value value, int64_t dim, int64_t stride, Strides &strides);
  void addBuffer(mlir::Value value, const BufferLayout &layout);

  const IterationSpace &space;
  llvm::SmallVector<Strides> accesses;
  llvm::SmallVector<int64_t> elements, bytes; // of operands and results
  unsigned operandCount;
};

} // namespace sheaf::lowering

#endif
