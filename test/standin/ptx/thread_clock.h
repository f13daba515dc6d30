// Which accesses of a launch have happened before which others.
#ifndef SHEAF_TEST_STANDIN_PTX_THREAD_CLOCK_H
#define SHEAF_TEST_STANDIN_PTX_THREAD_CLOCK_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "test/standin/ptx/instruction.h"

namespace sheaf::standin::ptx {

/// An access: when it was (in ticks), whether it was atomic, and by which thread of its block. Later ones are greater.
struct Stamp {
  uint32_t bits = 0; ///< 0: there was none

  static constexpr unsigned threadBits = 10, tickShift = threadBits + 1;
  static constexpr uint32_t maxTick = (uint32_t(1) << (32 - tickShift)) - 1;

  static Stamp of(uint32_t tick, bool isAtomic, uint32_t thread) {
    return {tick << tickShift | uint32_t(isAtomic) << threadBits | thread};
  }
  explicit operator bool() const { return bits != 0; }
  uint32_t tick() const { return bits >> tickShift; }
  bool isAtomic() const { return bits >> threadBits & 1; }
  uint32_t thread() const { return bits & ((1 << threadBits) - 1); }
  uint32_t warp() const { return thread() / warpSize; }
  uint32_t lane() const { return thread() % warpSize; }
};

/// The time of a launch, whose blocks run one after the other: a tick ends wherever threads wait for each other. An
/// access has happened before another thread's if a wait of both lies in between, directly or by way of others.
/// These are waits:
///
/// - bar.sync and bar.red, of the warps that they release; one without a count has waited for threads that have
///   ended;
/// - bar.warp.sync, of the lanes of its mask.
///
/// Nothing else is. Lanes of a warp are not ordered by running together (from sm_70 on), nor by shfl, vote, match,
/// redux, mma and ldmatrix, which promise nothing about memory (CUDA C++ Programming Guide, notes on warp vote,
/// match and shuffle functions; PTX ISA, "bar.warp.sync" and "Memory Consistency Model").
///
/// Blocks are ordered in one way only, that of reductions whose last block combines the parts of all: a thread
/// fences, then updates a place atomically, which is its release; a thread of a later block updates that place,
/// then fences, which is its acquisition of all releases there. What the releasing thread's block had waited for
/// together before the fence, and what that thread itself had done, has happened before all that comes after the
/// acquisition.
///
/// Ticks replace vector clocks. All warps of a block mostly wait together, so the last such tick is kept once and
/// decides nearly always. What a smaller group waited for last is kept per pair: of warps, as a barrier releases
/// whole warps, and of lanes within a warp.
class ThreadClock {
public:
  ThreadClock();

  /// Threads of a new block run; `index` is its place in the grid.
  void startBlock(uint64_t index);
  /// The warps have waited for each other; `isWholeBlock`: no others are left.
  void syncWarps(std::span<const uint32_t> warps, bool isWholeBlock);
  /// Lanes of a warp have; `isWholeWarp`: no others are left.
  void syncLanes(uint32_t warp, uint32_t lanes, bool isWholeWarp);

  Stamp stamp(uint32_t thread, bool isAtomic) const { return Stamp::of(tick, isAtomic, thread); }
  /// Whether it is of a block that has ended.
  bool isOfEarlierBlock(Stamp stamp) const { return stamp.bits < blockFloor; }
  /// What has smaller bits has happened before anything that threads of this block do now, or is of an earlier block.
  uint32_t floor() const { return wholeFloor; }
  /// Whether `earlier`, of this block, has happened before what thread `now` does. A thread's own has.
  bool precedes(Stamp earlier, Stamp now) const {
    if (earlier.bits < wholeFloor || earlier.thread() == now.thread())
      return true;
    return earlier.warp() == now.warp()
               ? earlier.bits < warpFloors[now.warp()] ||
                     (lanes && earlier.bits < lanes->at(now.warp())[now.lane()][earlier.lane()])
               : earlier.bits < warps[now.warp()][earlier.warp()];
  }
  /// Whether `earlier`, of a block that has ended, has happened before what thread `now` does.
  bool isAcquired(Stamp earlier, Stamp now) const;
  /// A thread fences, for threads of all blocks.
  void fence(uint32_t thread);
  /// A thread updates a place in global memory atomically.
  void update(uint64_t address, Stamp now);

  /// The place in the grid of the block that the access is of.
  uint64_t blockOf(Stamp stamp) const;

  /// Ticks have run out: restart() forgets the past, as must whoever keeps stamps.
  bool isFull() const { return tick == Stamp::maxTick; }
  void restart();

private:
  static constexpr uint32_t maxWarps = 1024 / warpSize;
  using Pairs = std::array<std::array<uint32_t, warpSize>, maxWarps>;

  uint32_t nextTick() { return ++tick << Stamp::tickShift; }

  struct Block {
    uint32_t firstTick;
    uint64_t index;
  };
  /// What a thread had done, and its whole block had waited for, when it fenced: as the least stamps since.
  struct Release {
    uint32_t block, ofThread, ofBlock, thread;
    bool covers(Stamp stamp) const {
      return stamp.bits >= block && stamp.bits < (stamp.thread() == thread ? ofThread : ofBlock);
    }
  };
  /// The first `count` releases at a place, which the thread of `by` has acquired, or will when it fences.
  struct Acquisition {
    Stamp by;
    const std::vector<Release> *releases;
    size_t count;
  };

  uint32_t tick = 0;
  uint32_t blockFloor = 0, wholeFloor = 0; ///< as the least stamp since
  std::array<uint32_t, maxWarps> warpFloors{};
  Pairs warps{}; ///< [now][earlier]
  /// Of each warp [now][earlier]; null as long as no part of a warp has waited for itself.
  std::unique_ptr<std::array<Pairs, maxWarps>> lanes;
  std::vector<Block> blocks;                         ///< in their order
  std::map<uint64_t, std::vector<Release>> releases; ///< by address, in the order of blocks
  // Of this block:
  std::map<uint32_t, Release> fenced; ///< threads that have
  std::vector<Acquisition> begun, acquired;
};

} // namespace sheaf::standin::ptx

#endif
