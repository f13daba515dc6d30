// Device configurations, as ONNX (IR version 11 and later) has them: where a model wants its tensors.
#ifndef SHEAF_DIALECTS_DIST_DEVICE_CONFIGURATION_H
#define SHEAF_DIALECTS_DIST_DEVICE_CONFIGURATION_H

#include "dialects/dist/device_list.h"
#include <optional>
#include <string>

namespace sheaf::dist {

/// The attribute of a module that holds device configurations, an array of dictionaries:
///
///     [{name = "tp2", devices = 2, device_names = [..],
///       tensors = [{tensor = "w", devices = [[0], [1]], dims = [{axis = 1, shards = [2]}]}],
///       nodes = [{node = "product", stage = 0, inputs = [..], outputs = [..]}]}]
///
/// An entry of a tensor's `devices` is one shard's owner, or the owners of its replicas; shards are
/// counted row-major over `dims` as written. A dim of several `shards` was several dims, of `extents`
/// (-1 is unknown), each cut on its own. `is_inner` nodes are of sub-graphs and functions, where names
/// are others.
inline constexpr llvm::StringLiteral kDeviceConfigurations("graph.device_configurations");

/// Which tensor lives where.
struct ConfiguredTensor {
  struct Dim {
    int64_t axis;
    llvm::SmallVector<int64_t, 1> shards;
    /// As many as `shards`, or none: one dim of the tensor's extent.
    llvm::SmallVector<int64_t, 1> extents;

    /// Into how many blocks, of elements that are neighbours, the shards cut the dim. Error: they are
    /// no blocks.
    llvm::Expected<int64_t> numBlocks() const;
  };

  std::string tensor;
  llvm::SmallVector<Dim, 2> dims;
  std::vector<llvm::SmallVector<int64_t, 1>> owners;

  /// The devices of the blocks; `list.parts` goes with `dims`. Error: as `numBlocks`.
  llvm::Expected<DeviceList> deviceList() const;
};

/// Where a node wants its operands and puts its results. What is not listed is open.
struct ConfiguredNode {
  std::string node;
  bool isInner = false;
  std::optional<int64_t> stage;
  std::vector<ConfiguredTensor> inputs, outputs;
};

struct DeviceConfiguration {
  std::string name;
  int64_t numDevices = 1;
  std::vector<std::string> deviceNames;
  /// Where tensors live whatever the node.
  std::vector<ConfiguredTensor> tensors;
  std::vector<ConfiguredNode> nodes;

  mlir::Attribute toAttr(mlir::MLIRContext *context) const;
  /// None when the attribute has another form.
  static std::optional<DeviceConfiguration> from(mlir::Attribute attr);
};

} // namespace sheaf::dist

#endif
