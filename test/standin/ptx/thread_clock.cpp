// Keeps what the threads of a block know to have happened.
#include "test/standin/ptx/thread_clock.h"

#include <algorithm>

namespace sheaf::standin::ptx {

/// Each of `members` now knows what any of them knew, and all that they have done before `now`.
template <typename Pairs>
static void join(Pairs &known, std::span<const uint32_t> members, uint32_t now) {
  std::array<uint32_t, warpSize> all{};
  for (uint32_t member : members)
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = std::max(all[i], known[member][i]);
  for (uint32_t member : members)
    all[member] = now;
  for (uint32_t member : members)
    known[member] = all;
}

ThreadClock::ThreadClock() { restart(); }

void ThreadClock::restart() {
  const uint64_t index = blocks.empty() ? 0 : blocks.back().index;
  blocks.clear();
  tick = 0;
  warpFloors = {};
  warps = {};
  lanes.reset();
  releases.clear();
  startBlock(index);
}

void ThreadClock::startBlock(uint64_t index) {
  blockFloor = wholeFloor = nextTick();
  blocks.push_back({tick, index});
  fenced.clear();
  begun.clear();
  acquired.clear();
}

void ThreadClock::syncWarps(std::span<const uint32_t> members, bool isWholeBlock) {
  const uint32_t now = nextTick();
  if (isWholeBlock) {
    wholeFloor = now;
    return;
  }
  join(warps, members, now);
  for (uint32_t warp : members)
    warpFloors[warp] = now;
}

void ThreadClock::syncLanes(uint32_t warp, uint32_t mask, bool isWholeWarp) {
  const uint32_t now = nextTick();
  if (isWholeWarp) {
    warpFloors[warp] = now;
    return;
  }
  if (!lanes)
    lanes = std::make_unique<std::array<Pairs, maxWarps>>();
  std::vector<uint32_t> members;
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      members.push_back(lane);
  join((*lanes)[warp], members, now);
}

void ThreadClock::fence(uint32_t thread) {
  const uint32_t now = nextTick();
  fenced[thread] = {blockFloor, now, wholeFloor, thread};
  for (Acquisition &acquisition : begun)
    if (acquisition.by.thread() == thread) {
      acquired.push_back(acquisition);
      acquired.back().by = stamp(thread, false);
    }
  std::erase_if(begun, [&](const Acquisition &a) { return a.by.thread() == thread; });
}

void ThreadClock::update(uint64_t address, Stamp now) {
  std::vector<Release> &here = releases[address];
  if (!here.empty())
    begun.push_back({now, &here, here.size()});
  const auto release = fenced.find(now.thread());
  if (release == fenced.end())
    return;
  // Whoever meets the update knows of it, but of nothing that the thread does behind it. What it does between its fence
  // and the update passes for released, too.
  here.push_back(release->second);
  here.back().ofThread = now.bits + 1;
  if (!isFull())
    nextTick();
}

bool ThreadClock::isAcquired(Stamp earlier, Stamp now) const {
  for (const Acquisition &acquisition : acquired) {
    if (!precedes(acquisition.by, now))
      continue;
    for (size_t i = 0; i < acquisition.count; ++i)
      if ((*acquisition.releases)[i].covers(earlier))
        return true;
  }
  return false;
}

uint64_t ThreadClock::blockOf(Stamp stamp) const {
  auto after = std::ranges::upper_bound(blocks, stamp.tick(), {}, &Block::firstTick);
  return std::prev(after)->index;
}

} // namespace sheaf::standin::ptx
