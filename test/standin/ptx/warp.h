// The state of 32 lanes that run together, and how they run.
#ifndef SHEAF_TEST_STANDIN_PTX_WARP_H
#define SHEAF_TEST_STANDIN_PTX_WARP_H

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "test/standin/ptx/instruction.h"

namespace sheaf::standin::ptx {

struct Grid;

/// Ends a kernel: what a lane did that it must not do.
struct TrapError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The registers of one activation of a function, for the lanes that called it together.
struct Frame {
  Frame *parent = nullptr;
  const Code *code = nullptr;
  const Instruction *call = nullptr;
  uint32_t returnTo = 0;
  uint32_t depth = 0;
  uint32_t lanes = 0; ///< that have not returned yet
  uint32_t localBase = 0;
  std::unique_ptr<std::byte[]> registers;
  uint32_t capacity = 0; ///< bytes of registers there is room for
};

/// Lanes at the same place.
struct Group {
  uint32_t mask = 0;
  uint32_t next = 0; ///< index of an instruction
  Frame *frame = nullptr;
  enum { Ready, AtMeeting, AtBarrier } state = Ready;
};

/// Special registers, as 32-bit values of every lane.
enum class SpecialRegister : uint32_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicSharedBytes,
  TotalSharedBytes,
  Zero,
  Count
};

/// May run one kernel after the other. Divergent lanes run in turn: the group that is deepest in calls
/// and then at the smallest instruction runs until it meets another one, which it joins.
struct Warp {
  enum Outcome { Done, AtBarrier };

  /// Makes the lanes of `mask` begin `code`.
  void start(const Code &code, uint32_t mask);
  /// Runs until all lanes have ended or wait at a barrier. Throws TrapError.
  Outcome run();
  /// Ends the wait at a barrier.
  void release();

  /// The barrier that the warp waits at.
  const Instruction &barrier() const { return *current; }
  uint32_t liveLanes() const { return live; }

  std::byte *at(Slot slot) { return bases[slot.base] + slot.offset; }
  uint32_t predicate(Slot slot) {
    uint32_t lanes;
    std::memcpy(&lanes, at(slot), sizeof lanes);
    return lanes;
  }
  void setPredicate(Slot slot, uint32_t lanes, uint32_t mask) {
    lanes = (predicate(slot) & ~mask) | (lanes & mask);
    std::memcpy(at(slot), &lanes, sizeof lanes);
  }
  /// The bytes of `lane`'s local memory at `offset` from its start.
  std::byte *localAt(unsigned lane, uint64_t offset) {
    return local.data() + size_t(lane) * stackBytes + offset;
  }
  /// Where the running function's local variables begin in its lanes' local memory.
  uint32_t localBase() const { return running->frame->localBase; }
  uint32_t activeLanes() const { return running->mask; }

  Grid *grid = nullptr;
  std::byte *bases[3] = {};
  const Instruction *current = nullptr; ///< what runs, or ran last
  uint32_t stackBytes = 0;              ///< local memory of a lane
  uint32_t carry = 0;                   ///< the carry flag of each lane
  uint64_t steps = 0;
  alignas(64) std::array<std::array<uint32_t, warpSize>, size_t(SpecialRegister::Count)> special;

private:
  Group *pick();
  void enter(Group &group);
  bool merge(Group &group);
  void split(Group &group, uint32_t mask, uint32_t target);
  void runGroup(Group &group);
  bool runFlow(Group &group, const Instruction &instruction, uint32_t mask);
  void branchByTable(Group &group, const Instruction &instruction, uint32_t mask);
  void call(Group &group, const Instruction &instruction, uint32_t mask);
  void leave(Group &group, uint32_t mask);
  void exit(Group &group, uint32_t mask);
  bool hasMet(const Group &group, const Instruction &instruction, uint32_t mask);
  Frame *makeFrame(const Code &code, Frame *parent);
  void dropLanes(Frame *frame, uint32_t mask);

  uint32_t live = 0;
  std::vector<Group> groups; ///< at least one lane each; few, in no order
  Group *running = nullptr;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<Frame>> spareFrames;
  std::vector<std::byte> local;
};

} // namespace sheaf::standin::ptx

#endif
