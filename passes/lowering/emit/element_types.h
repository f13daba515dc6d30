// Element types and constants as the executable stores them.
#ifndef SHEAF_PASSES_LOWERING_EMIT_ELEMENT_TYPES_H
#define SHEAF_PASSES_LOWERING_EMIT_ELEMENT_TYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/abi/executable_generated.h"
#include <optional>

namespace sheaf::lowering {

/// The executable's name of an element type; none for a type it does not know.
std::optional<abi::ElementType> abiElementType(mlir::Type type);

/// The elements, row-major and little-endian, 2- and 4-bit types and booleans in a byte each.
/// None when the attribute's bytes are not at hand.
std::optional<std::vector<uint8_t>> bytesOf(mlir::ElementsAttr elements);

} // namespace sheaf::lowering

#endif
