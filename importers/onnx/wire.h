// Protocol Buffers on the wire: takes the weights out of a model before it is parsed.
#ifndef SHEAF_IMPORTERS_ONNX_WIRE_H
#define SHEAF_IMPORTERS_ONNX_WIRE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sheaf::onnx {

/// Copies a serialized ModelProto, leaving out the `raw_data` of every tensor; in its place stands
/// `segment`, the range of the data in `model`. The data itself is not touched, so a mapped file of
/// any size costs only its graph. Models that use `segment` themselves are refused (no exporter
/// writes it), so a segment in the result is always ours.
///
/// Errors: the byte at which the model is cut off or malformed.
llvm::Expected<std::string> stripRawData(llvm::StringRef model);

/// Whether some tensor of a serialized ModelProto has its data in another file. Errors: as above.
llvm::Expected<bool> hasExternalData(llvm::StringRef model);

} // namespace sheaf::onnx

#endif
