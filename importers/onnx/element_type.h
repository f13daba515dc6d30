// ONNX's element types and the MLIR types they become.
#ifndef SHEAF_IMPORTERS_ONNX_ELEMENT_TYPE_H
#define SHEAF_IMPORTERS_ONNX_ELEMENT_TYPE_H

#include "mlir/IR/Types.h"
#include <cstdint>
#include <string>

namespace sheaf::onnx {

/// The type of a `TensorProto.DataType`: signless integers are signed, `ui` types unsigned. Null
/// for strings, complex numbers and unknown numbers.
mlir::Type elementType(mlir::MLIRContext *context, int32_t dataType);

/// How messages call a data type that has no MLIR type: its name in ONNX, or "type 99".
std::string unknownTypeName(int32_t dataType);

/// Bits of one element in a file. Booleans take a byte there.
unsigned storedBits(mlir::Type element);

} // namespace sheaf::onnx

#endif
