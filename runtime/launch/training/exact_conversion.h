// Conversions of elements that lose nothing.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_EXACT_CONVERSION_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_EXACT_CONVERSION_H

#include "runtime/abi/element_type.h"

#include <cstddef>

namespace sheaf::rt::launch {

/// True when every number that `from` holds is one of `to`: u16 to i64, f16 to f32, u8 to f32, a type to itself.
bool isExact(abi::ElementType from, abi::ElementType to);

/// Converts `count` elements at `in`, which may have any alignment, to `out`. The types are such that it is exact.
void convertExactly(abi::ElementType from, const std::byte *in, abi::ElementType to, std::byte *out,
                    int64_t count);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_EXACT_CONVERSION_H
