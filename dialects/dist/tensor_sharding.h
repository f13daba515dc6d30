// Where a tensor lives, with axes by position in the mesh: what engines compute with.
#ifndef SHEAF_DIALECTS_DIST_TENSOR_SHARDING_H
#define SHEAF_DIALECTS_DIST_TENSOR_SHARDING_H

#include "dialects/dist/axis.h"
#include "dialects/dist/dist.h"

namespace sheaf::dist {

/// The axes that cut one dim.
struct DimSharding {
  AxisList axes;
  bool isOpen = true;
  int64_t priority = 0;

  friend bool operator==(const DimSharding &, const DimSharding &) = default;
};

/// A sharding of one mesh. `ShardingAttr` is its form in the IR.
struct TensorSharding {
  llvm::SmallVector<DimSharding, 4> dims;
  AxisList replicated;
  AxisList partial;
  PartialKind partialKind = PartialKind::sum;

  /// Of a tensor that no axis cuts: open, so that propagation may.
  static TensorSharding open(int64_t rank);
  /// The same, closed.
  static TensorSharding whole(int64_t rank);
  /// `attr` fits `mesh`.
  static TensorSharding from(ShardingAttr attr, MeshAttr mesh);
  ShardingAttr toAttr(mlir::FlatSymbolRefAttr meshName, MeshAttr mesh) const;

  /// The same without open dims, priorities and axes that are named as replicated: where the tensor
  /// is, not where it may go.
  TensorSharding placed() const;
  /// All axes that are used: of dims, replicated and partial.
  AxisList usedAxes() const;
  /// Whether the tensor is in one piece on every rank.
  bool isWhole() const;
  /// Into how many parts the dim is cut.
  int64_t numParts(size_t dim) const { return sizeOf(dims[dim].axes); }

  friend bool operator==(const TensorSharding &, const TensorSharding &) = default;
};

/// The block of a dim of `extent` that `axes` cut: each rank's memory holds so many elements.
int64_t blockOf(int64_t extent, AxisListRef axes);
/// A part of a dim: its elements are [begin, begin + extent), its memory has room for a block.
struct DimPart {
  int64_t begin, extent;
};
/// The parts of a dim of `extent` that `axes` cut, by the place of their ranks in the group.
llvm::SmallVector<DimPart> partsOf(int64_t extent, AxisListRef axes);
/// The block of a tensor.
mlir::RankedTensorType blockTypeOf(mlir::RankedTensorType type, const TensorSharding &sharding);

/// The axis of an attribute, and back; whole axes have no part written.
Axis axisOf(AxisRefAttr attr, MeshAttr mesh);
AxisList axesOf(llvm::ArrayRef<AxisRefAttr> attrs, MeshAttr mesh);
llvm::SmallVector<AxisRefAttr> refsOf(AxisListRef axes, MeshAttr mesh);
/// Axes as messages show them: `{"x", "y":(1)2}`.
std::string textOf(AxisListRef axes, MeshAttr mesh);
/// A mesh as command lines have it: data=2,tensor=2.
std::string textOf(MeshAttr mesh);

/// The mesh of that name as seen from `user`; null when there is none.
MeshOp findMesh(mlir::Operation *user, mlir::FlatSymbolRefAttr name);

/// Fails, with an error at `user` that begins with `what`, unless axes exist in the mesh, their parts
/// divide it and do not overlap.
llvm::LogicalResult verifyAxes(mlir::Operation *user, mlir::FlatSymbolRefAttr mesh,
                               llvm::ArrayRef<AxisRefAttr> axes, llvm::StringRef what);
/// Fails unless `sharding` fits `type` and its mesh.
llvm::LogicalResult verifySharding(mlir::Operation *user, ShardingAttr sharding, mlir::Type type,
                                   llvm::StringRef what);

} // namespace sheaf::dist

#endif
