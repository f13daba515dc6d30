// The numbers of PTX text, and their bits as a value of a type.
#include "test/standin/ptx/number.h"

#include <charconv>

namespace sheaf::standin::ptx {

std::optional<uint64_t> parseInteger(std::string_view text) {
  if (text.ends_with('U'))
    text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

uint64_t bitsAs(Type type, const Operand &number) {
  if (number.kind == Operand::Integer)
    return type.bits == 64 ? number.bits : number.bits & ((uint64_t(1) << type.bits) - 1);
  if (type.bits == 32 && number.isSingle)
    return number.bits;
  if (type.bits == 64 && !number.isSingle)
    return number.bits;
  const double value = number.isSingle ? std::bit_cast<float>(static_cast<uint32_t>(number.bits))
                                       : std::bit_cast<double>(number.bits);
  if (type.bits == 64)
    return std::bit_cast<uint64_t>(value);
  if (type.bits == 32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  return type.kind == Kind::BrainFloat ? narrow<BFloat>(value).bits : narrow<Half>(value).bits;
}

} // namespace sheaf::standin::ptx
