// Where the values of a program lie in one arena.
#ifndef SHEAF_PASSES_ANALYSIS_ARENA_PLAN_H
#define SHEAF_PASSES_ANALYSIS_ARENA_PLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace sheaf {

/// The steps during which so many bytes are needed, first and last included.
struct LiveRange {
  int64_t bytes = 0;
  int64_t begin = 0;
  int64_t end = 0;

  bool overlapsInTime(const LiveRange &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// One offset per range, and the size of the arena; both in bytes.
struct ArenaPlan {
  static constexpr int64_t alignment = 64;
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Places ranges so that no two that overlap in time overlap in memory, largest first, each where it
/// fits tightest. Deterministic. Sizes are at most 2^60; an arena that would pass 2^62 is none.
std::optional<ArenaPlan> planArena(llvm::ArrayRef<LiveRange> ranges);

/// Two ranges of a plan that share bytes at some step, or none. Independent of how plans are made.
std::optional<std::pair<unsigned, unsigned>> findClash(llvm::ArrayRef<LiveRange> ranges,
                                                       const ArenaPlan &plan);

/// The step at which most bytes are live, and the ranges live then, largest first.
struct Peak {
  int64_t step = 0;
  int64_t bytes = 0;
  llvm::SmallVector<unsigned> ranges;
};
Peak findPeak(llvm::ArrayRef<LiveRange> ranges);

} // namespace sheaf

#endif
