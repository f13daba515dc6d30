// JSON from files that are not trusted.
#ifndef SHEAF_RUNTIME_IO_STRICT_JSON_H
#define SHEAF_RUNTIME_IO_STRICT_JSON_H

#include "runtime/core/status.h"

#include <nlohmann/json.hpp>
#include <span>

namespace sheaf::rt::io {

using Json = nlohmann::json;

/// Parses `text`. Errors: it is no JSON, an object has a key twice, objects and lists are nested more than 8 deep.
Result<Json> parseStrictJson(std::span<const std::byte> text);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_STRICT_JSON_H
