// How scatters put updates onto elements.
#ifndef SHEAF_RUNTIME_HOST_COMBINE_H
#define SHEAF_RUNTIME_HOST_COMBINE_H

#include "runtime/core/element.h"
#include "runtime/core/params.h"

namespace sheaf::rt::host {

/// Puts `count` updates onto as many elements.
using Combine = void (*)(std::byte *elements, const std::byte *updates, int64_t count);

/// What the parameter "kind" says (set, add, mul, max, min), for elements of `type`. Setting moves elements of any
/// type; booleans combine as the integers 0 and 1 do under maximum and minimum; NaN wins from either side.
Result<Combine> readCombine(Params &params, abi::ElementType type);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_COMBINE_H
