// Runs the blocks of a launch, and the warps of a block between barriers.
#include "test/standin/ptx/launch.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "test/standin/ptx/barrier.h"
#include "test/standin/ptx/grid.h"

namespace sheaf::standin::ptx {

std::string Trap::text() const {
  return "kernel \"" + kernel + "\"" + (line ? ", line " + std::to_string(line) : "") + ": " + what;
}

namespace {

class BlockRunner {
public:
  BlockRunner(const Launch &launch, Memory &memory)
      : launch(launch), code(*launch.kernel->code),
        grid(code, launch.findsRaces, launch.mayReadInVain) {
    grid.memory = &memory;
    grid.stepLimit = launch.stepLimit;
    grid.parameters.assign(launch.parameters.begin(), launch.parameters.end());
    grid.shared.resize(launch.kernel->sharedBytes + launch.dynamicSharedBytes);
    warps.resize((launch.block.count() + warpSize - 1) / warpSize);
    for (size_t i = 0; i < warps.size(); ++i)
      prepare(*(warps[i] = takeWarp()), static_cast<uint32_t>(i));
  }
  ~BlockRunner() { std::ranges::move(warps, std::back_inserter(idleWarps())); }
  BlockRunner(const BlockRunner &) = delete;

  void run(uint64_t blockIndex) {
    setBlock(blockIndex);
    if (grid.races)
      grid.races->startBlock(blockIndex);
    std::fill(grid.shared.begin(), grid.shared.end(), std::byte{0xff});
    std::vector<Warp *> ready, waiting;
    uint64_t left = launch.block.count();
    for (std::unique_ptr<Warp> &warp : warps) {
      const uint64_t lanes = std::min<uint64_t>(left, warpSize);
      warp->start(code, lanes == warpSize ? allLanes : (uint32_t(1) << lanes) - 1);
      left -= lanes;
      ready.push_back(warp.get());
    }
    while (!ready.empty()) {
      for (Warp *warp : ready) {
        running = warp;
        if (warp->run() == Warp::AtBarrier)
          waiting.push_back(warp);
        steps += std::exchange(warp->steps, 0);
      }
      ready.clear();
      if (waiting.empty())
        continue;
      ready = passBarrier(waiting);
      // A barrier that counts threads has not waited for those that have ended.
      const bool isCounted = ready[0]->barrier().immediate == 1;
      if (grid.races)
        grid.races->syncWarps(ready,
                              waiting.empty() && (!isCounted || ready.size() == warps.size()));
    }
  }

  const Warp *running = nullptr;
  uint64_t steps = 0;

private:
  /// Warps of earlier launches, whose registers are in memory that need not be mapped again.
  static std::vector<std::unique_ptr<Warp>> &idleWarps() {
    thread_local std::vector<std::unique_ptr<Warp>> warps;
    return warps;
  }
  static std::unique_ptr<Warp> takeWarp() {
    if (idleWarps().empty())
      return std::make_unique<Warp>();
    std::unique_ptr<Warp> warp = std::move(idleWarps().back());
    idleWarps().pop_back();
    return warp;
  }

  void fillLanes(Warp &warp, SpecialRegister which, uint32_t value) {
    warp.special[size_t(which)].fill(value);
  }

  void prepare(Warp &warp, uint32_t index) {
    using enum SpecialRegister;
    warp.grid = &grid;
    warp.stackBytes = code.stackBytes;
    for (auto &values : warp.special)
      values.fill(0);
    const Extent &block = launch.block, &all = launch.grid;
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      const uint32_t thread = index * warpSize + lane, bit = uint32_t(1) << lane;
      auto set = [&](SpecialRegister which, uint32_t value) {
        warp.special[size_t(which)][lane] = value;
      };
      set(TidX, thread % block.x);
      set(TidY, thread / block.x % block.y);
      set(TidZ, thread / block.x / block.y);
      set(LaneId, lane);
      set(LaneMaskEq, bit);
      set(LaneMaskLt, bit - 1);
      set(LaneMaskLe, (bit - 1) | bit);
      set(LaneMaskGe, ~(bit - 1));
      set(LaneMaskGt, ~((bit - 1) | bit));
    }
    fillLanes(warp, NtidX, block.x);
    fillLanes(warp, NtidY, block.y);
    fillLanes(warp, NtidZ, block.z);
    fillLanes(warp, NctaidX, all.x);
    fillLanes(warp, NctaidY, all.y);
    fillLanes(warp, NctaidZ, all.z);
    fillLanes(warp, WarpId, index);
    fillLanes(warp, NWarpId, static_cast<uint32_t>(warps.size()));
    fillLanes(warp, NSmId, 1);
    fillLanes(warp, DynamicSharedBytes, launch.dynamicSharedBytes);
    fillLanes(warp, TotalSharedBytes, static_cast<uint32_t>(grid.shared.size()));
  }

  void setBlock(uint64_t index) {
    const Extent &all = launch.grid;
    for (std::unique_ptr<Warp> &warp : warps) {
      fillLanes(*warp, SpecialRegister::CtaidX, static_cast<uint32_t>(index % all.x));
      fillLanes(*warp, SpecialRegister::CtaidY, static_cast<uint32_t>(index / all.x % all.y));
      fillLanes(*warp, SpecialRegister::CtaidZ, static_cast<uint32_t>(index / all.x / all.y));
    }
  }

  const Launch &launch;
  const Code &code;
  Grid grid;
  std::vector<std::unique_ptr<Warp>> warps;
};

/// A walk over [0, count) that meets each index once.
class Order {
public:
  Order(uint64_t count, uint64_t seed) : count(count) {
    if (seed == 0 || count < 3)
      return;
    offset = seed % count;
    stride = seed / count % count | 1;
    while (std::gcd(stride, count) != 1)
      stride += 2;
    stride %= count;
  }
  uint64_t at(uint64_t i) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * stride + offset) % count);
  }

private:
  uint64_t count, offset = 0, stride = 1;
};

/// What is wrong with the launch itself, or nothing.
std::string checkLaunch(const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  const uint64_t threads = launch.block.count();
  if (threads == 0 || launch.grid.count() == 0)
    return "a grid or block without threads";
  if (launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 || threads > 1024)
    return "a block has at most 1024 threads (z: 64), this has " + std::to_string(threads);
  if (threads > kernel.maxThreads)
    return "a block has at most " + std::to_string(kernel.maxThreads) +
           " threads, as the kernel says, this has " + std::to_string(threads);
  if (launch.grid.x > 0x7fffffff || launch.grid.y > 65535 || launch.grid.z > 65535)
    return "the grid is too big";
  const uint64_t shared = uint64_t(kernel.sharedBytes) + launch.dynamicSharedBytes;
  if (shared > maxSharedBytes)
    return "a block has at most 227 KiB of shared memory, this asks for " + std::to_string(shared) +
           " bytes";
  if (launch.parameters.size() != kernel.parameterBytes)
    return "the kernel takes " + std::to_string(kernel.parameterBytes) +
           " bytes of parameters, found " + std::to_string(launch.parameters.size());
  return {};
}

} // namespace

LaunchResult run(const Launch &launch, Memory &memory) {
  LaunchResult result;
  if (std::string problem = checkLaunch(launch); !problem.empty()) {
    result.trap = Trap{launch.kernel->name, 0, std::move(problem)};
    return result;
  }
  BlockRunner runner(launch, memory);
  const uint64_t blocks = launch.grid.count();
  const Order order(blocks, launch.seed);
  try {
    for (uint64_t i = 0; i < blocks; ++i)
      runner.run(order.at(i));
  } catch (const TrapError &error) {
    const Instruction *at = runner.running->current;
    result.trap = Trap{launch.kernel->name, at ? at->line : 0, error.what()};
  }
  result.warpInstructions = runner.steps;
  return result;
}

} // namespace sheaf::standin::ptx
