// Writes a model again, with device configurations.
#ifndef SHEAF_IMPORTERS_ONNX_ANNOTATED_COPY_H
#define SHEAF_IMPORTERS_ONNX_ANNOTATED_COPY_H

#include "dialects/dist/device_configuration.h"

namespace sheaf::onnx {

/// Copies the ONNX model at `modelPath` to `outputPath` and adds `configuration`: each node of the main
/// graph gets the shardings of its inputs and outputs, as far as the configuration knows them. One of
/// the same name is replaced. `ir_version` becomes 11 where it is lower; all else stays byte by byte.
/// The file appears whole or not at all.
///
/// Errors: the copy would take the model's place, or stand in another folder than external data; IR
/// before 4 lists weights as inputs, which in 11 would be fed; a file that can't be read or written.
llvm::Error writeAnnotatedCopy(llvm::StringRef modelPath, llvm::StringRef outputPath,
                               const dist::DeviceConfiguration &configuration);

} // namespace sheaf::onnx

#endif
