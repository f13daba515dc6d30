// Checks UTF-8.
#include "runtime/core/utf8.h"

#include <cstddef>
#include <cstdint>

namespace sheaf::rt {

bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<uint8_t>(text[i++]);
    if (lead < 0x80)
      continue;
    int numFollowing = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4)
      return false;
    uint32_t point = lead & (0x3Fu >> numFollowing);
    for (int k = 0; k < numFollowing; ++k, ++i) {
      if (i == text.size() || (static_cast<uint8_t>(text[i]) & 0xC0) != 0x80)
        return false;
      point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3Fu);
    }
    constexpr uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (point < smallest[numFollowing] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
      return false;
  }
  return true;
}

} // namespace sheaf::rt
