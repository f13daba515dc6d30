// Windows that slide over the space dims of a tensor: what conv and pool share.
#ifndef SHEAF_RUNTIME_CORE_WINDOW_H
#define SHEAF_RUNTIME_CORE_WINDOW_H

#include "runtime/core/buffer_shape.h"
#include "runtime/core/params.h"
#include "runtime/core/tap_range.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sheaf::rt {

/// A tensor [n, space.., c] seen as [n, c, space..].
inline BufferShape channelsSecond(BufferShape shape) {
  auto rotate = [](std::vector<int64_t> &list) {
    if (list.size() > 2)
      std::rotate(list.begin() + 1, list.end() - 1, list.end());
  };
  rotate(shape.dims);
  rotate(shape.strides);
  return shape;
}

/// The parameters of a window, one entry per space dim.
struct WindowParams {
  std::vector<int64_t> window, strides, dilations, low, high;

  /// Reads strides, dilations, padding_low and padding_high.
  static WindowParams read(Params &params) {
    WindowParams result;
    result.strides = params.integers("strides");
    result.dilations = params.integers("dilations");
    result.low = params.integers("padding_low");
    result.high = params.integers("padding_high");
    return result;
  }

  /// The extent of the result along space dim `dim` of an input of extent `extent`.
  int64_t resultExtent(size_t dim, int64_t extent) const {
    int64_t free = extent + low[dim] + high[dim] - dilations[dim] * (window[dim] - 1) - 1;
    return free < 0 ? 0 : free / strides[dim] + 1;
  }

  /// Errors: lists of other lengths than `numSpaceDims`, or values out of range.
  Status checkLists(size_t numSpaceDims) const {
    constexpr int64_t limit = int64_t(1) << 30; // Sums and products of two stay in range.
    for (const auto &[list, least] :
         {std::pair(&window, 1), {&strides, 1}, {&dilations, 1}, {&low, 0}, {&high, 0}}) {
      if (list->size() != numSpaceDims)
        return Status::invalid("a window parameter has ", list->size(), " entries for ",
                               numSpaceDims, " space dims");
      for (int64_t value : *list)
        if (value < least || value > limit)
          return Status::invalid("a window parameter is ", value, "; it must be at least ", least);
    }
    return {};
  }

  /// Errors: as above, or an `input` (n, c, space..) whose windows do not give the space dims of `result`.
  Status check(const BufferShape &input, const BufferShape &result) const {
    if (input.rank() < 3 || input.rank() > 5 || result.rank() != input.rank())
      return Status::invalid("input ", input.str(), " and result ", result.str(),
                             " must both have 1 to 3 space dims after n and c");
    size_t numSpaceDims = input.rank() - 2;
    if (Status status = checkLists(numSpaceDims); !status.isOk())
      return status;
    for (size_t dim = 0; dim < numSpaceDims; ++dim)
      if (int64_t expected = resultExtent(dim, input.dims[dim + 2]);
          result.dims[dim + 2] != expected)
        return Status::invalid("the windows over dim ", dim + 2, " of ", input.str(), " give ",
                               expected, " results, not the ", result.dims[dim + 2], " of ",
                               result.str());
    return {};
  }
};

/// The last `count` of `list`, with `fill` in front to make them 3.
inline std::array<int64_t, 3> padTo3(const std::vector<int64_t> &list, size_t count, int64_t fill) {
  std::array<int64_t, 3> result{fill, fill, fill};
  for (size_t i = 0; i < count; ++i)
    result[3 - count + i] = list[list.size() - count + i];
  return result;
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_WINDOW_H
