// Holds the formats of all element types.
#include "runtime/core/element_format.h"

#include "runtime/abi/element_type.h"

namespace sheaf::rt {

ElementFormat ElementFormat::of(abi::ElementType type) {
  using abi::ElementType;
  auto bytes = static_cast<int>(abi::bytesOf(type));
  auto integer = [&](int bits, bool isSigned) {
    return ElementFormat{Kind::integer, bytes, bits, isSigned};
  };
  auto floating = [&](const FloatFormat &format) {
    return ElementFormat{Kind::floating, bytes, 0, false, format};
  };
  switch (type) {
  case ElementType::boolean:
    return {Kind::boolean, bytes};
  case ElementType::i2:
    return integer(2, true);
  case ElementType::ui2:
    return integer(2, false);
  case ElementType::i4:
    return integer(4, true);
  case ElementType::ui4:
    return integer(4, false);
  case ElementType::i8:
  case ElementType::i16:
  case ElementType::i32:
  case ElementType::i64:
    return integer(8 * bytes, true);
  case ElementType::ui8:
  case ElementType::ui16:
  case ElementType::ui32:
  case ElementType::ui64:
    return integer(8 * bytes, false);
  case ElementType::f64:
    return floating(formatOfF64);
  case ElementType::f32:
    return floating(formatOfF32);
  case ElementType::f16:
    return floating(FloatFormat::ieee(5, 10));
  case ElementType::bf16:
    return floating(FloatFormat::ieee(8, 7));
  case ElementType::f8E5M2:
    return floating(FloatFormat::ieee(5, 2));
  case ElementType::f8E4M3FN:
    return floating({4, 3, 7, 0x7e, std::nullopt, 0x7f, true});
  case ElementType::f8E4M3FNUZ:
    return floating({4, 3, 8, 0x7f, std::nullopt, 0x80, false});
  case ElementType::f8E5M2FNUZ:
    return floating({5, 2, 16, 0x7f, std::nullopt, 0x80, false});
  case ElementType::f4E2M1FN:
    return floating({2, 1, 1, 0x7, std::nullopt, std::nullopt, true});
  case ElementType::f8E8M0FNU:
    break;
  }
  return {Kind::power, bytes};
}

} // namespace sheaf::rt
