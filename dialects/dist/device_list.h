// Shardings as lists of devices, as other formats write them, and the axes that say the same.
#ifndef SHEAF_DIALECTS_DIST_DEVICE_LIST_H
#define SHEAF_DIALECTS_DIST_DEVICE_LIST_H

#include "dialects/dist/axis.h"
#include "dialects/dist/dist.h"
#include "llvm/Support/Error.h"

namespace sheaf::dist {

/// Which devices hold the shards of a tensor. A device is the number of a rank.
struct DeviceList {
  /// Into how many parts each dim is cut, of the dims that are.
  llvm::SmallVector<int64_t, 4> parts;
  /// The devices of each shard, several where it is replicated. Shards are counted row-major over
  /// `parts`.
  std::vector<llvm::SmallVector<int64_t, 1>> owners;

  /// Some order, to look up by.
  friend bool operator<(const DeviceList &lhs, const DeviceList &rhs) {
    return lhs.parts != rhs.parts ? lhs.parts < rhs.parts : lhs.owners < rhs.owners;
  }
};

/// The devices that hold the shards of a tensor whose dims these axes cut.
DeviceList deviceListOf(llvm::ArrayRef<AxisList> dims, MeshAttr mesh);

/// The axes that cut each dim of `list.parts`, as parts of one axis, of index 0, that goes through all
/// devices in `order`. `order` is a permutation.
/// Errors: devices left out, out of range or named twice; shards that no digits of the place in
/// `order` give.
llvm::Expected<llvm::SmallVector<AxisList>> axesOf(const DeviceList &list,
                                                   llvm::ArrayRef<int64_t> order);
/// The same, as axes of a mesh. Error: also, when parts cross the axes of the mesh.
llvm::Expected<llvm::SmallVector<AxisList>> axesOf(const DeviceList &list, MeshAttr mesh);

} // namespace sheaf::dist

#endif
