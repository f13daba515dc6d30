// Finds what repeats in a sequence.
#ifndef SHEAF_PASSES_ANALYSIS_REPEATS_H
#define SHEAF_PASSES_ANALYSIS_REPEATS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace sheaf {

/// `count` stretches of `period` elements each, one after another from `begin` on, that are equal. They still are when
/// all begin up to `slack` elements later.
struct Repeat {
  size_t begin, period, count, slack;

  size_t size() const { return period * count; }
};

/// The repeat that covers the most of `sequence`; of several the one of the shortest period, then the first. Only such
/// count as have an element in each stretch that `matters`. None when nothing repeats. Time is quadratic in the length.
std::optional<Repeat> longestRepeat(llvm::ArrayRef<unsigned> sequence,
                                    llvm::function_ref<bool(size_t index)> matters);

} // namespace sheaf

#endif
