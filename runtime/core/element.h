// Element types as C++ types that loops can compute with.
#ifndef SHEAF_RUNTIME_CORE_ELEMENT_H
#define SHEAF_RUNTIME_CORE_ELEMENT_H

#include "runtime/abi/element_type.h"
#include "runtime/core/status.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace sheaf::rt {

using F16 = _Float16;

/// bfloat16: the upper half of an f32. Computes as f32, rounds to nearest even when stored.
struct BF16 {
  uint16_t bits = 0;

  BF16() = default;
  BF16(float value) {
    auto word = std::bit_cast<uint32_t>(value);
    bool isNan = (word & 0x7fffffffu) > 0x7f800000u;
    // A NaN keeps its sign and upper bits and stays quiet; rounding could make it infinite.
    bits = static_cast<uint16_t>(isNan ? (word >> 16) | 0x40u
                                       : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

/// What sums of `T` are kept in: f32 for 16-bit floats, else `T`.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, F16> || std::is_same_v<T, BF16>, float, T>;

template <typename T>
inline constexpr bool isFloatElement =
    std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

template <typename T> bool isNan(T value) {
  if constexpr (isFloatElement<T>)
    return std::isnan(static_cast<Wide<T>>(value));
  else
    return false;
}

/// Integer sums and products wrap; in C++ only those of unsigned types do.
template <typename T> T wrappingAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <typename T> T wrappingMultiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

/// A type as a value, to pass to a visitor.
template <typename T> struct TypeTag {
  using Type = T;
};

/// Calls `visit(TypeTag<T>())`, which returns an R, with the type of `type`, a float of 16 bits or more.
template <typename R, typename Visitor> R visitFloat(abi::ElementType type, const Visitor &visit) {
  switch (type) {
  case abi::ElementType::f16:
    return visit(TypeTag<F16>());
  case abi::ElementType::bf16:
    return visit(TypeTag<BF16>());
  case abi::ElementType::f32:
    return visit(TypeTag<float>());
  case abi::ElementType::f64:
    return visit(TypeTag<double>());
  default:
    return Status::invalid("it does not take elements of type ", abi::nameOf(type));
  }
}

/// The same for integers of 8 bits or more and floats of 16 bits or more.
template <typename R, typename Visitor>
R visitArithmetic(abi::ElementType type, const Visitor &visit) {
  switch (type) {
  case abi::ElementType::i8:
    return visit(TypeTag<int8_t>());
  case abi::ElementType::ui8:
    return visit(TypeTag<uint8_t>());
  case abi::ElementType::i16:
    return visit(TypeTag<int16_t>());
  case abi::ElementType::ui16:
    return visit(TypeTag<uint16_t>());
  case abi::ElementType::i32:
    return visit(TypeTag<int32_t>());
  case abi::ElementType::ui32:
    return visit(TypeTag<uint32_t>());
  case abi::ElementType::i64:
    return visit(TypeTag<int64_t>());
  case abi::ElementType::ui64:
    return visit(TypeTag<uint64_t>());
  default:
    return visitFloat<R>(type, visit);
  }
}

/// The same with an unsigned type as wide as `type`, for calls that only move elements.
template <typename R, typename Visitor>
R visitStorage(abi::ElementType type, const Visitor &visit) {
  switch (abi::bytesOf(type)) {
  case 1:
    return visit(TypeTag<uint8_t>());
  case 2:
    return visit(TypeTag<uint16_t>());
  case 4:
    return visit(TypeTag<uint32_t>());
  default:
    return visit(TypeTag<uint64_t>());
  }
}

/// The same with int32_t or int64_t, for indices.
template <typename R, typename Visitor> R visitIndex(abi::ElementType type, const Visitor &visit) {
  if (type == abi::ElementType::i32)
    return visit(TypeTag<int32_t>());
  if (type == abi::ElementType::i64)
    return visit(TypeTag<int64_t>());
  return Status::invalid("indices must be i32 or i64, not ", abi::nameOf(type));
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ELEMENT_H
