// Converts single elements between any two types; the slow, exact way that tables and constants are made by.
#ifndef SHEAF_RUNTIME_CORE_CONVERT_H
#define SHEAF_RUNTIME_CORE_CONVERT_H

#include "runtime/abi/element_type.h"
#include "runtime/core/element_format.h"

namespace sheaf::rt {

/// The element at `from`, read as `type`.
ExactNumber readElement(abi::ElementType type, const void *from);

/// Stores `number` at `to` as `type`. `isFromFloat`: out of range it is clamped, else it wraps (integers).
void writeElement(abi::ElementType type, const ExactNumber &number, bool isFromFloat, void *to,
                  const CastRules &rules);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CONVERT_H
