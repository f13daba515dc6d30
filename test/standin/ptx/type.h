// The types of PTX instructions and registers, and the C++ types that compute them.
#ifndef SHEAF_TEST_STANDIN_PTX_TYPE_H
#define SHEAF_TEST_STANDIN_PTX_TYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "test/standin/ptx/half.h"

namespace sheaf::standin::ptx {

enum class Kind : uint8_t { Predicate, Bits, Unsigned, Signed, Float, BrainFloat };

/// A fundamental type such as `.u32` or `.f16x2`. `bits` counts all elements.
struct Type {
  Kind kind = Kind::Bits;
  uint8_t bits = 32;
  bool isPacked = false; ///< two elements of half the bits

  unsigned bytes() const { return bits / 8; }
  bool isFloat() const { return kind == Kind::Float || kind == Kind::BrainFloat; }
  bool isInteger() const { return !isFloat() && kind != Kind::Predicate; }
  /// The same width, read as an unsigned integer.
  Type asUnsigned() const { return {Kind::Unsigned, bits, false}; }
  bool operator==(const Type &) const = default;
};

/// The type that `name` (without the dot) names.
std::optional<Type> parseType(std::string_view name);

/// `.f32` and the like.
std::string toString(Type type);

/// The type that a C++ type computes: uint8_t to uint64_t, int8_t to int64_t, Half, BFloat, float
/// and double.
template <typename T> constexpr Type typeOf() {
  constexpr uint8_t bits = sizeof(T) * 8;
  if constexpr (std::is_same_v<T, BFloat>)
    return {Kind::BrainFloat, bits, false};
  else if constexpr (std::is_same_v<T, Half> || std::is_floating_point_v<T>)
    return {Kind::Float, bits, false};
  else
    return {std::is_signed_v<T> ? Kind::Signed : Kind::Unsigned, bits, false};
}

} // namespace sheaf::standin::ptx

#endif
