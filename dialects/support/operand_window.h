// Which elements of an operand the parts of a dim need: the arithmetic of halos.
#ifndef SHEAF_DIALECTS_SUPPORT_OPERAND_WINDOW_H
#define SHEAF_DIALECTS_SUPPORT_OPERAND_WINDOW_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace sheaf {

/// How the places of a dim see an operand: place q needs the elements from
/// floor((scale q + first) / divisor) to floor((scale q + last) / divisor), of which those outside
/// the operand are a fill value. Mirrored in runtime/abi/window.h.
struct DimWindow {
  int64_t numPlaces = 0;
  int64_t scale = 1;   ///< not 0
  int64_t divisor = 1; ///< at least 1
  int64_t first = 0, last = 0;

  /// A run of elements, perhaps empty.
  struct Run {
    int64_t begin, end;
  };

  /// What `count` places from `place` on need; `count` is at least 1.
  Run needed(int64_t place, int64_t count) const {
    int64_t low = scale * place, high = scale * (place + count - 1);
    if (scale < 0)
      std::swap(low, high);
    int64_t begin = llvm::divideFloorSigned(low + first, divisor);
    return {begin, std::max(begin, llvm::divideFloorSigned(high + last, divisor) + 1)};
  }

  /// The room for what a block of places needs, wherever it begins: at least 1, but 0 for no places.
  int64_t room(int64_t block) const {
    Run run = needed(0, std::max<int64_t>(block, 1));
    return block == 0 ? 0 : std::max<int64_t>(run.end - run.begin, 1);
  }

  /// Whether blocks that begin at `place` need as many elements as those at 0, from as far.
  bool isAligned(int64_t place) const { return scale * place % divisor == 0; }

  friend bool operator==(const DimWindow &, const DimWindow &) = default;
};

/// A dim of an operand that is read through a window.
struct OperandWindow {
  unsigned operand, dim;
  DimWindow window;
};

} // namespace sheaf

#endif
