// Runs a kernel of a loaded module: all blocks of a grid, one after the other.
#ifndef SHEAF_TEST_STANDIN_PTX_LAUNCH_H
#define SHEAF_TEST_STANDIN_PTX_LAUNCH_H

#include <optional>
#include <span>
#include <string>

#include "test/standin/ptx/memory.h"
#include "test/standin/ptx/module.h"

namespace sheaf::standin::ptx {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Of a block at most, static and dynamic together, on chips from compute capability 9.0 on.
constexpr uint32_t maxSharedBytes = 227 * 1024;

struct Launch {
  const Kernel *kernel = nullptr;
  Extent grid;
  Extent block;
  uint32_t dynamicSharedBytes = 0;
  /// The parameters as they lie in memory; as many bytes as the kernel says.
  std::span<const std::byte> parameters;
  /// Blocks run in an order that this chooses; 0 is the natural one.
  uint64_t seed = 0;
  /// A warp that runs more instructions in a block than this is taken for endless.
  uint64_t stepLimit = uint64_t(1) << 30;
  /// Whether races among threads are looked for, which takes about as long again.
  bool findsRaces = true;
  /// Threads that have no place of their own in global memory may read from another's of their block while that one
  /// writes, and throw the value away: that is no race.
  bool mayReadInVain = false;
};

/// Why a kernel stopped. What it wrote until then is written.
struct Trap {
  std::string kernel;
  unsigned line = 0; ///< of the PTX text; 0 where the launch itself is wrong
  std::string what;

  /// `kernel "k", line 12: thread (3,0,0) of block (0,0,0) reads ...`
  std::string text() const;
};

struct LaunchResult {
  std::optional<Trap> trap;
  uint64_t warpInstructions = 0;
};

/// Runs all blocks; a kernel is run by one thread at a time, different launches may run at once.
LaunchResult run(const Launch &launch, Memory &memory);

} // namespace sheaf::standin::ptx

#endif
