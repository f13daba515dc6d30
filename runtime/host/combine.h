// Puts updates onto elements.
#ifndef SHEAF_RUNTIME_HOST_COMBINE_H
#define SHEAF_RUNTIME_HOST_COMBINE_H

#include "runtime/core/scatter_rule.h"

namespace sheaf::rt::host {

/// Puts `count` updates onto as many elements.
using Combine = void (*)(std::byte *elements, const std::byte *updates, int64_t count);

/// As readScatterRule says.
Result<Combine> readCombine(Params &params, abi::ElementType type);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_COMBINE_H
