// Reads and writes the names of PTX types.
#include "test/standin/ptx/type.h"

#include <charconv>

namespace sheaf::standin::ptx {

std::optional<Type> parseType(std::string_view name) {
  if (name == "pred")
    return Type{Kind::Predicate, 1, false};
  Type type;
  if (name.starts_with("bf")) {
    type.kind = Kind::BrainFloat;
    name.remove_prefix(2);
  } else if (name.starts_with("b")) {
    type.kind = Kind::Bits;
    name.remove_prefix(1);
  } else if (name.starts_with("u")) {
    type.kind = Kind::Unsigned;
    name.remove_prefix(1);
  } else if (name.starts_with("s")) {
    type.kind = Kind::Signed;
    name.remove_prefix(1);
  } else if (name.starts_with("f")) {
    type.kind = Kind::Float;
    name.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  if (name.ends_with("x2")) {
    type.isPacked = true;
    name.remove_suffix(2);
  }
  unsigned bits = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), bits);
  if (error != std::errc() || end != name.data() + name.size())
    return std::nullopt;
  bool isKnown = bits == 16 || (!type.isPacked && (bits == 8 || bits == 32 || bits == 64));
  if (!isKnown || (type.isFloat() && bits == 8) || (type.kind == Kind::BrainFloat && bits != 16))
    return std::nullopt;
  type.bits = static_cast<uint8_t>(type.isPacked ? 2 * bits : bits);
  return type;
}

std::string toString(Type type) {
  static constexpr std::string_view prefixes[] = {"pred", "b", "u", "s", "f", "bf"};
  std::string name = "." + std::string(prefixes[static_cast<size_t>(type.kind)]);
  if (type.kind == Kind::Predicate)
    return name;
  return name + std::to_string(type.isPacked ? type.bits / 2 : type.bits) +
         (type.isPacked ? "x2" : "");
}

} // namespace sheaf::standin::ptx
