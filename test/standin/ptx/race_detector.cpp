// Tells shadows of what warps access, and of a race who takes part in it.
#include "test/standin/ptx/race_detector.h"

#include <bit>
#include <sstream>

#include "test/standin/ptx/grid.h"

namespace sheaf::standin::ptx {

static uint32_t indexOf(const Warp &warp) {
  return warp.special[size_t(SpecialRegister::WarpId)][0];
}

RaceDetector::RaceDetector(const Code &code, bool mayReadInVain)
    : shared(clock, code.sharedGrain, /*isOfBlock=*/true, /*mayReadInVain=*/false),
      global(clock, code.globalGrain, /*isOfBlock=*/false, mayReadInVain) {}

void RaceDetector::forgetIfFull() {
  if (!clock.isFull())
    return;
  clock.restart();
  shared.clear();
  global.clear();
}

void RaceDetector::startBlock(uint64_t index) {
  forgetIfFull();
  clock.startBlock(index);
}

void RaceDetector::syncWarps(std::span<Warp *const> warps, bool isWholeBlock) {
  forgetIfFull();
  std::array<uint32_t, warpSize> members{};
  size_t count = 0;
  for (const Warp *warp : warps)
    members[count++] = indexOf(*warp);
  clock.syncWarps({members.data(), count}, isWholeBlock);
}

void RaceDetector::syncLanes(const Warp &warp, uint32_t lanes) {
  forgetIfFull();
  clock.syncLanes(indexOf(warp), lanes, lanes == warp.liveLanes());
}

void RaceDetector::fence(const Warp &warp, uint32_t lanes) {
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    forgetIfFull();
    if (lanes >> lane & 1)
      clock.fence(indexOf(warp) * warpSize + lane);
  }
}

void RaceDetector::access(const Warp &warp, const Instruction &instruction, Space space,
                          unsigned lane, uint64_t address) {
  RaceShadow &shadow = space == Space::Shared ? shared : global;
  const uint64_t bytes = uint64_t(instruction.elements) * instruction.elementBytes;
  const Stamp now =
      clock.stamp(indexOf(warp) * warpSize + lane, instruction.access == Access::Atomic);
  RaceShadow::Conflict conflict;
  switch (instruction.access) {
  case Access::Read:
    conflict = shadow.read(address, bytes, now);
    break;
  case Access::Write:
    conflict = shadow.write(address, bytes, now);
    break;
  case Access::Atomic:
    conflict = shadow.update(address, bytes, now);
    break;
  }
  if (conflict)
    fail(warp, instruction, space, now, address, conflict);
  if (instruction.access == Access::Atomic && space == Space::Global)
    clock.update(address, now);
  // Of what all lanes get, a second lane stands for all that did not give its address.
  if (instruction.isOfWarp) {
    const Stamp other = clock.stamp(now.thread() ^ 1, false);
    if ((conflict = shadow.read(address, bytes, other)))
      fail(warp, instruction, space, other, address, conflict);
  }
}

void RaceDetector::access(const Warp &warp, const Instruction &instruction, Space space,
                          uint32_t mask, const uint64_t (&addresses)[warpSize], uint64_t origin,
                          bool areSame) {
  const bool isRead = instruction.access == Access::Read;
  // Two lanes stand for all: a shadow keeps no more of a warp, and two that write are one too many.
  if (areSame && instruction.access != Access::Atomic && mask & (mask - 1)) {
    const uint32_t rest = mask & (mask - 1);
    mask &= ~rest | (rest & -rest);
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const uint64_t address = addresses[lane];
    if (isRead && lane >= 2 && (mask >> (lane - 2) & 3) == 3 && address == addresses[lane - 1] &&
        address == addresses[lane - 2])
      continue;
    access(warp, instruction, space, lane, address - origin);
  }
}

void RaceDetector::fail(const Warp &warp, const Instruction &instruction, Space space, Stamp now,
                        uint64_t address, const RaceShadow::Conflict &conflict) {
  auto verb = [](Access access) {
    return access == Access::Read ? " reads " : access == Access::Write ? " writes " : " updates ";
  };
  const bool isOfEarlierBlock = clock.isOfEarlierBlock(conflict.earlier);
  std::ostringstream text;
  text << "data race: " << describeLane(warp, now.lane()) << verb(instruction.access)
       << uint64_t(instruction.elements) * instruction.elementBytes << " bytes of "
       << (space == Space::Shared ? "shared" : "global") << " memory at 0x" << std::hex << address
       << std::dec << ", of which "
       << describeThread(warp, conflict.earlier.thread(), clock.blockOf(conflict.earlier))
       << verb(conflict.access) << "some, and "
       << (isOfEarlierBlock ? "blocks of a launch have no order"
                            : "no barrier lies between the two");
  throw TrapError(text.str());
}

} // namespace sheaf::standin::ptx
