// Finds accesses by threads of one launch to one byte, of which one writes and that nothing orders.
#ifndef SHEAF_TEST_STANDIN_PTX_RACE_DETECTOR_H
#define SHEAF_TEST_STANDIN_PTX_RACE_DETECTOR_H

#include <span>

#include "test/standin/ptx/race_shadow.h"
#include "test/standin/ptx/warp.h"

namespace sheaf::standin::ptx {

/// Hears of all accesses to shared and to global memory, and of all waits. Found is what may go wrong in any order of
/// threads, not only in that in which they run here. Two atomic updates of one byte don't race; an update and a plain
/// access do, and so do two plain writes of one value.
class RaceDetector {
public:
  /// `code`: of the kernel that runs. `mayReadInVain`: as Launch has it.
  RaceDetector(const Code &code, bool mayReadInVain);

  void startBlock(uint64_t index);
  void syncWarps(std::span<Warp *const> warps, bool isWholeBlock);
  void syncLanes(const Warp &warp, uint32_t lanes);
  void fence(const Warp &warp, uint32_t lanes);

  /// The lanes of `mask` access the memory of `space` at `addresses`, of shared memory plus `origin`. `areSame`: at one
  /// address. Throws TrapError.
  void access(const Warp &warp, const Instruction &instruction, Space space, uint32_t mask,
              const uint64_t (&addresses)[warpSize], uint64_t origin, bool areSame);
  /// As above, of one lane.
  void access(const Warp &warp, const Instruction &instruction, Space space, unsigned lane,
              uint64_t address);

private:
  void forgetIfFull();
  [[noreturn]] void fail(const Warp &warp, const Instruction &instruction, Space space, Stamp now,
                         uint64_t address, const RaceShadow::Conflict &conflict);

  ThreadClock clock;
  RaceShadow shared, global;
};

} // namespace sheaf::standin::ptx

#endif
