// What the blocks of a launch share.
#ifndef SHEAF_TEST_STANDIN_PTX_GRID_H
#define SHEAF_TEST_STANDIN_PTX_GRID_H

#include <optional>
#include <vector>

#include "test/standin/ptx/race_detector.h"

namespace sheaf::standin::ptx {

/// Generic addresses of memory that is not global lie in windows that no pointer of a process is in.
constexpr uint64_t sharedWindow = uint64_t(0x71) << 56;
constexpr uint64_t localWindow = uint64_t(0x72) << 56;
constexpr uint64_t paramWindow = uint64_t(0x73) << 56;
constexpr uint64_t windowMask = uint64_t(0xff) << 56;

struct Grid {
  Grid(const Code &code, bool findsRaces, bool mayReadInVain) {
    if (findsRaces)
      races.emplace(code, mayReadInVain);
  }

  Memory *memory = nullptr;
  uint64_t stepLimit = 0;
  std::vector<std::byte> parameters;
  std::vector<std::byte> shared; ///< of the block that runs
  /// The allocations found last; the first is the last hit.
  std::vector<Region> regions;
  std::optional<RaceDetector> races;

  /// The allocation that holds [address, address + bytes), or null.
  const Region *find(uint64_t address, uint64_t bytes);
};

/// How the places lie that lanes access: anyhow, all at one, or one behind the other, of all 32 lanes.
enum class Placement : uint8_t { Any, Same, Dense };

/// Where the lanes of `mask` find the memory of an access through the addresses in `address`; where the
/// placement is not Any, idle lanes have pointers too. Throws TrapError for what lies out of bounds or is
/// misaligned, and tells the launch's Memory of global ones.
Placement resolve(Warp &warp, const Instruction &instruction, Slot address, uint32_t mask,
                  std::byte *(&pointers)[warpSize]);

/// "thread (3,0,0) of block (7,0,0)", for messages.
std::string describeLane(const Warp &warp, unsigned lane);
/// The same of any thread of the launch that the warp is of, by its place in its block and that block's in the grid.
std::string describeThread(const Warp &warp, uint32_t thread, uint64_t block);

} // namespace sheaf::standin::ptx

#endif
