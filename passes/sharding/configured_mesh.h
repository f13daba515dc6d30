// The mesh that device configurations imply.
#ifndef SHEAF_PASSES_SHARDING_CONFIGURED_MESH_H
#define SHEAF_PASSES_SHARDING_CONFIGURED_MESH_H

#include "dialects/dist/device_list.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sheaf::sharding {

/// A sharding of a device configuration: whose it is, and its devices.
struct DeviceSharding {
  llvm::StringRef node, tensor;
  llvm::SmallVector<int64_t, 2> axes; ///< The dim of each of `devices.parts`.
  dist::DeviceList devices;
};

/// How messages call a sharding.
std::string describe(const DeviceSharding &sharding);

/// The mesh of the fewest axes whose parts say all of `shardings`; ranks are in the order of their
/// numbers, or in that of the sharding with the most shards. An axis that cuts a stored tensor is
/// called "tensor", another that cuts something "data", one that cuts nothing "replica".
/// Errors: no mesh says all; names the sharding that fails.
llvm::Expected<dist::MeshAttr> meshOf(llvm::ArrayRef<DeviceSharding> shardings, int64_t numDevices,
                                      llvm::function_ref<bool(llvm::StringRef)> isStored,
                                      mlir::MLIRContext *context);

} // namespace sheaf::sharding

#endif
