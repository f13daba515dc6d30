// Barriers among the warps of a block.
#include "test/standin/ptx/barrier.h"

#include <algorithm>
#include <bit>
#include <string>

namespace sheaf::standin::ptx {

static uint32_t firstLane(Warp &warp, Slot slot) {
  uint32_t values[warpSize];
  std::memcpy(values, warp.at(slot), sizeof values);
  return values[std::countr_zero(warp.liveLanes())];
}

static uint32_t barrierOf(Warp &warp) { return firstLane(warp, warp.barrier().operands[1]); }

/// Gives each lane what the barrier makes of the predicates of all lanes.
static void reduce(const std::vector<Warp *> &warps) {
  const Instruction &barrier = warps[0]->barrier();
  const auto result = static_cast<BarrierResult>(barrier.mode);
  if (result == BarrierResult::None)
    return;
  uint32_t count = 0, threads = 0;
  for (Warp *warp : warps) {
    count += std::popcount(warp->predicate(barrier.operands[3]) & warp->liveLanes());
    threads += std::popcount(warp->liveLanes());
  }
  for (Warp *warp : warps) {
    if (result == BarrierResult::Count) {
      uint32_t lanes[warpSize];
      std::fill_n(lanes, warpSize, count);
      std::memcpy(warp->at(barrier.operands[0]), lanes, sizeof lanes);
    } else {
      bool holds = result == BarrierResult::And ? count == threads : count > 0;
      warp->setPredicate(barrier.operands[0], holds ? allLanes : 0, warp->liveLanes());
    }
  }
}

std::vector<Warp *> passBarrier(std::vector<Warp *> &waiting) {
  uint32_t live = 0;
  for (Warp *warp : waiting)
    live += std::popcount(warp->liveLanes());
  for (Warp *candidate : waiting) {
    const Instruction &barrier = candidate->barrier();
    const bool isCounted = barrier.immediate == 1;
    const uint32_t number = barrierOf(*candidate);
    const uint32_t wanted = isCounted ? firstLane(*candidate, barrier.operands[2]) : live;
    std::vector<Warp *> arrived;
    uint32_t threads = 0;
    for (Warp *warp : waiting) {
      // Without a count, all threads must wait at the same instruction, not only at the same number.
      if (barrierOf(*warp) != number || (!isCounted && &warp->barrier() != &barrier))
        continue;
      arrived.push_back(warp);
      // Whoever counts, counts whole warps.
      threads += isCounted ? warpSize : std::popcount(warp->liveLanes());
    }
    if (threads < wanted)
      continue;
    reduce(arrived);
    for (Warp *warp : arrived) {
      warp->release();
      std::erase(waiting, warp);
    }
    return arrived;
  }
  std::string text = "divergent barrier: warps wait at lines";
  for (Warp *warp : waiting)
    text += " " + std::to_string(warp->barrier().line);
  throw TrapError(text);
}

} // namespace sheaf::standin::ptx
