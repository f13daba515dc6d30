// The values of ONNX tensors.
#ifndef SHEAF_IMPORTERS_ONNX_TENSOR_H
#define SHEAF_IMPORTERS_ONNX_TENSOR_H

#include "importers/onnx/model_file.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace sheaf::onnx {

/// The type of a tensor. Errors: an element type without MLIR type, negative dims, sizes that
/// overflow.
llvm::Expected<mlir::RankedTensorType> tensorType(mlir::MLIRContext *context,
                                                  const ::onnx::TensorProto &tensor);

/// Bytes that `type` takes in a file; none when they overflow. Elements below a byte are packed.
std::optional<int64_t> storedBytes(mlir::RankedTensorType type);

/// A constant with the values of `tensor`: dense for up to `kMaxInlineBytes`, larger ones stay in their
/// file (`#graph.external`) or become a dense resource when they are typed data.
/// Errors: missing, too few or too many values.
llvm::Expected<mlir::TypedAttr> tensorValue(mlir::MLIRContext *context, ModelFile &file,
                                            const ::onnx::TensorProto &tensor);

/// Where the values are for a runtime to load: `#graph.external`, or dense for typed data.
llvm::Expected<mlir::TypedAttr> tensorSource(mlir::MLIRContext *context, ModelFile &file,
                                             const ::onnx::TensorProto &tensor);

/// A constant of packed little-endian elements, as `raw_data` holds them; `bytes` has the size that
/// `storedBytes` gives.
mlir::DenseElementsAttr decodePacked(mlir::RankedTensorType type, llvm::StringRef bytes);

inline constexpr int64_t kMaxInlineBytes = 64 * 1024;
inline constexpr int kMaxRank = 64;

} // namespace sheaf::onnx

#endif
