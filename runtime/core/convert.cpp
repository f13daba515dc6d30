// Reads and writes single elements of every type.
#include "runtime/core/convert.h"

#include <cstring>

namespace sheaf::rt {

// Machines are little-endian: the low bytes come first.
ExactNumber readElement(abi::ElementType type, const void *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(abi::bytesOf(type)));
  return ElementFormat::of(type).decode(bits);
}

void writeElement(abi::ElementType type, const ExactNumber &number, bool isFromFloat, void *to,
                  const CastRules &rules) {
  uint64_t bits = ElementFormat::of(type).encode(number, isFromFloat, rules);
  std::memcpy(to, &bits, static_cast<size_t>(abi::bytesOf(type)));
}

} // namespace sheaf::rt
