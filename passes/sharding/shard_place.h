// Which part of a dim this rank holds, as values of the program.
#ifndef SHEAF_PASSES_SHARDING_SHARD_PLACE_H
#define SHEAF_PASSES_SHARDING_SHARD_PLACE_H

#include "dialects/dist/tensor_sharding.h"
#include "dialects/graph/primitive_builder.h"
#include <map>

namespace sheaf::sharding {

/// Builds, once each and at the start of a block, the scalars that tell a rank which elements of a dim
/// it holds (runtime/abi/shard.h). All are i64 tensors of rank 0.
class ShardPlaces {
public:
  ShardPlaces(mlir::Block *block, mlir::Location loc, mlir::FlatSymbolRefAttr meshName,
              dist::MeshAttr mesh)
      : block(block), loc(loc), meshName(meshName), mesh(mesh) {}

  /// Axes as ops have them.
  dist::AxesAttr attrOf(dist::AxisListRef axes) const {
    return dist::AxesAttr::get(mesh.getContext(), meshName, dist::refsOf(axes, mesh));
  }

  /// A part of a dim.
  struct Place {
    mlir::Value begin;  ///< the first element, in elements of the whole dim
    mlir::Value extent; ///< how many of the block's elements are the tensor's; the rest is padding
  };
  /// The part of a dim of `extent` that `axes` leave this rank.
  Place of(int64_t extent, dist::AxisListRef axes);

private:
  Place build(graph::PrimitiveBuilder &b, int64_t extent, dist::AxisListRef axes);
  mlir::Value indexAlong(graph::PrimitiveBuilder &b, dist::AxisListRef axes);

  mlir::Block *block;
  mlir::Location loc;
  mlir::FlatSymbolRefAttr meshName;
  dist::MeshAttr mesh;
  mlir::Operation *last = nullptr; ///< what was built last
  std::map<std::vector<int64_t>, Place> known;
};

/// `block` with the elements along `dim` from `extent` on set to `value`, an infinity to the highest or
/// lowest value of an element type that has none.
mlir::Value maskedFrom(graph::PrimitiveBuilder &b, mlir::Value block, unsigned dim,
                       mlir::Value extent, double value);

} // namespace sheaf::sharding

#endif
