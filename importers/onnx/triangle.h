// Masks that are stored element by element and say which of two positions is first.
#ifndef SHEAF_IMPORTERS_ONNX_TRIANGLE_H
#define SHEAF_IMPORTERS_ONNX_TRIANGLE_H

#include "importers/onnx/graph_builder.h"
#include "importers/onnx/model_file.h"

namespace sheaf::onnx {

/// Masks up to this size are looked at: a boolean of 8192x8192. Weights are of float types and never
/// are.
inline constexpr int64_t kMaxTriangleBytes = int64_t(64) << 20;

/// A large boolean or 8-bit constant that is 1 where `column <= row + k` and 0 elsewhere, or the other
/// way round, the same in all leading dims, as a comparison of positions: models store causal masks
/// so, and passes see through the comparison but not into files. Null when `source` is no such
/// constant.
mlir::Value buildTriangle(GraphBuilder &builder, ModelFile &file, mlir::TypedAttr source);

/// A slice of a value that is computed of positions and of single numbers, computed of the positions
/// in the slice. Null when `value` is no such value.
mlir::Value slicePositions(GraphBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> starts,
                           llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);

} // namespace sheaf::onnx

#endif
