// Compares a sequence with itself, shifted by each period.
#include "passes/analysis/repeats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace sheaf {

std::optional<Repeat> longestRepeat(llvm::ArrayRef<unsigned> sequence,
                                    llvm::function_ref<bool(size_t index)> matters) {
  std::optional<Repeat> best;
  for (size_t period = 1; 2 * period <= sequence.size(); ++period) {
    size_t begin = 0; // Of the run of elements that equal the one a period later.
    for (size_t i = 0; i + period <= sequence.size(); ++i) {
      bool isLast = i + period == sequence.size();
      if (!isLast && sequence[i] == sequence[i + period])
        continue;
      size_t size = i - begin + period, count = size / period;
      if (count > 1 && (!best || count * period > best->size()) &&
          llvm::any_of(llvm::seq(begin, begin + period), matters))
        best = Repeat{begin, period, count, size % period};
      begin = i + 1;
    }
  }
  return best;
}

} // namespace sheaf
