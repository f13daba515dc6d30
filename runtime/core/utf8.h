// Whether bytes are text.
#ifndef SHEAF_RUNTIME_CORE_UTF8_H
#define SHEAF_RUNTIME_CORE_UTF8_H

#include <string_view>

namespace sheaf::rt {

/// True when `text` is UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF.
bool isUtf8(std::string_view text);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_UTF8_H
