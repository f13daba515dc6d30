// Device configurations of ONNX (IR version 11 and later): where its authors want tensors to live.
#ifndef SHEAF_IMPORTERS_ONNX_DEVICE_CONFIGURATION_H
#define SHEAF_IMPORTERS_ONNX_DEVICE_CONFIGURATION_H

#include "importers/onnx/onnx.pb.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace sheaf::onnx {

/// The shape of a value of the main graph; none when it is unknown.
using ShapeOf =
    llvm::function_ref<std::optional<llvm::ArrayRef<int64_t>>(llvm::StringRef valueName)>;

/// Checks all configurations and annotations of `model` and keeps them as an attribute of `module`
/// (dialects/dist/device_configuration.h).
/// Errors name the node and what is wrong: an unknown configuration, a tensor that the node does not
/// have, an axis or device out of range, no shards, a group that holds a group, a device twice, a
/// stage before that of its operands.
/// `order` sorts the main graph's nodes.
llvm::Error attachDeviceConfigurations(const ::onnx::ModelProto &model, llvm::ArrayRef<int> order,
                                       mlir::ModuleOp module, ShapeOf shapeOf);

} // namespace sheaf::onnx

#endif
