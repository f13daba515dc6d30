// A set of ops that may become one cluster.
#ifndef SHEAF_PASSES_LOWERING_CLUSTER_CLUSTER_GROUP_H
#define SHEAF_PASSES_LOWERING_CLUSTER_CLUSTER_GROUP_H

#include "dialects/graph/graph.h"
#include "llvm/ADT/SetVector.h"

namespace sheaf::lowering {

/// What an op is to clusters.
enum class ClusterRole {
  none,     ///< stays outside
  computes, ///< belongs to one cluster
  free      ///< costs nothing there: every cluster that needs it has its own copy
};

/// Tells roles, and how much work ops are; remembers both.
class ClusterRoles {
public:
  ClusterRole roleOf(mlir::Operation *op);
  /// Vector instructions of one vector of elements.
  int64_t costOf(mlir::Operation *op);
  /// To be called before `op` is erased: another op may get its address.
  void forget(mlir::Operation *op) { known.erase(op); }

private:
  llvm::DenseMap<mlir::Operation *, std::pair<ClusterRole, int64_t>> known;
};

/// A cluster to be: its members, and the free ops between and before them.
struct ClusterGroup {
  /// In the order of the block.
  llvm::SetVector<mlir::Operation *> members;

  /// Everything that the cluster would hold, in the order of the block; `withReshapes` also takes
  /// in reshapes of values from outside.
  llvm::SmallVector<mlir::Operation *> ops(ClusterRoles &roles, bool withReshapes) const;
  /// Values of members that are used outside.
  static llvm::SmallVector<mlir::Value> escaping(llvm::ArrayRef<mlir::Operation *> ops,
                                                 const llvm::SetVector<mlir::Operation *> &members);
  /// Values from outside that `ops` use.
  static llvm::SmallVector<mlir::Value> external(llvm::ArrayRef<mlir::Operation *> ops);

  /// The ops of a cluster that is legal and repeats no work worth naming; empty when there is none.
  /// A single member always has one.
  llvm::SmallVector<mlir::Operation *> viableOps(ClusterRoles &roles) const;
};

} // namespace sheaf::lowering

#endif
