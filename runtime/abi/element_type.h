// Facts about element types that the compiler and the runtime share.
#ifndef SHEAF_RUNTIME_ABI_ELEMENT_TYPE_H
#define SHEAF_RUNTIME_ABI_ELEMENT_TYPE_H

#include "runtime/abi/executable_generated.h"

#include <cstdint>

namespace sheaf::abi {

/// Bytes of one element in memory; 0 for a value that is no element type.
inline constexpr int64_t bytesOf(ElementType type) {
  switch (type) {
  case ElementType::boolean:
  case ElementType::i2:
  case ElementType::ui2:
  case ElementType::i4:
  case ElementType::ui4:
  case ElementType::i8:
  case ElementType::ui8:
  case ElementType::f4E2M1FN:
  case ElementType::f8E4M3FN:
  case ElementType::f8E4M3FNUZ:
  case ElementType::f8E5M2:
  case ElementType::f8E5M2FNUZ:
  case ElementType::f8E8M0FNU:
    return 1;
  case ElementType::i16:
  case ElementType::ui16:
  case ElementType::f16:
  case ElementType::bf16:
    return 2;
  case ElementType::i32:
  case ElementType::ui32:
  case ElementType::f32:
    return 4;
  case ElementType::i64:
  case ElementType::ui64:
  case ElementType::f64:
    return 8;
  }
  return 0;
}

/// The name in the schema, as messages and files spell it: "f32".
inline const char *nameOf(ElementType type) { return EnumNameElementType(type); }

inline constexpr bool isFloat(ElementType type) {
  return type >= ElementType::f4E2M1FN && type <= ElementType::f64;
}

inline constexpr bool isInteger(ElementType type) {
  return type >= ElementType::i2 && type <= ElementType::ui64;
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_ELEMENT_TYPE_H
