// How many bytes a tensor takes where it is stored.
#ifndef SHEAF_DIALECTS_SUPPORT_STORED_SIZE_H
#define SHEAF_DIALECTS_SUPPORT_STORED_SIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace sheaf {

/// Bytes of a tensor in memory: one or more whole bytes per element, booleans
/// and 2- and 4-bit types take one. None when the shape is dynamic, the element
/// type has no width or the size overflows; extents of 0 count as 1 in that
/// check, so strides never overflow either.
std::optional<int64_t> memoryBytes(mlir::ShapedType type);

/// Bytes of a tensor in a model file: as in memory, but 2- and 4-bit elements
/// are packed.
std::optional<int64_t> fileBytes(mlir::ShapedType type);

} // namespace sheaf

#endif
