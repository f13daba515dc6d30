// Which places of a window lie inside a tensor. Device code includes this too.
#ifndef SHEAF_RUNTIME_CORE_TAP_RANGE_H
#define SHEAF_RUNTIME_CORE_TAP_RANGE_H

#include <algorithm>
#include <cstdint>

namespace sheaf::rt {

/// The places k of a window with `0 <= place * dilation + start < extent`: those inside the input.
struct TapRange {
  int64_t begin, end;
};
constexpr TapRange tapsInside(int64_t start, int64_t extent, int64_t window, int64_t dilation) {
  int64_t begin = start < 0 ? (-start + dilation - 1) / dilation : 0;
  int64_t end = start >= extent ? 0 : (extent - start - 1) / dilation + 1;
  return {std::min(begin, window), std::max(std::min(begin, window), std::min(end, window))};
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_TAP_RANGE_H
