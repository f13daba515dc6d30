// Finds and checks the memory that lanes access.
#include <bit>
#include <sstream>

#include "test/standin/ptx/grid.h"

namespace sheaf::standin::ptx {

std::string describeLane(const Warp &warp, unsigned lane) {
  std::ostringstream text;
  auto write = [&](const char *what, SpecialRegister first) {
    text << what << " (";
    for (uint32_t i = 0; i < 3; ++i)
      text << (i ? "," : "") << warp.special[uint32_t(first) + i][lane];
    text << ")";
  };
  write("thread", SpecialRegister::TidX);
  write(" of block", SpecialRegister::CtaidX);
  return text.str();
}

const Region *Grid::find(uint64_t address, uint64_t bytes) {
  for (size_t i = 0; i < regions.size(); ++i) {
    if (!regions[i].contains(address, bytes))
      continue;
    if (i)
      std::swap(regions[0], regions[i]);
    return regions.data();
  }
  Region region = memory->find(address);
  if (!region.host || !region.contains(address, bytes))
    return nullptr;
  regions.insert(regions.begin(), region);
  return regions.data();
}

namespace {

/// One access of a warp.
class Resolver {
public:
  Resolver(Warp &warp, const Instruction &instruction, uint32_t mask)
      : warp(warp), instruction(instruction), mask(mask),
        bytes(uint64_t(instruction.elements) * instruction.elementBytes) {}

  void run(const uint64_t (&addresses)[warpSize], std::byte *(&pointers)[warpSize]) {
    const bool isGlobal = instruction.space == Space::Global || instruction.space == Space::Const;
    if (!(isGlobal || instruction.space == Space::Generic) || !resolveTogether(addresses, pointers))
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (mask >> lane & 1)
          pointers[lane] = isGlobal ? global(addresses[lane], lane)
                                    : resolveLane(instruction.space, addresses[lane], lane);
    flush();
  }

private:
  /// The usual case: all addresses are global and in one allocation.
  bool resolveTogether(const uint64_t (&addresses)[warpSize], std::byte *(&pointers)[warpSize]) {
    uint64_t low = UINT64_MAX, high = 0, all = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      low = std::min(low, addresses[lane]);
      high = std::max(high, addresses[lane]);
      all |= addresses[lane];
    }
    if ((low & windowMask) != 0 || (high & windowMask) != 0 || all % bytes != 0)
      return false;
    const Region *region = warp.grid->find(low, high - low + bytes);
    if (!region)
      return false;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      pointers[lane] = region->host + (addresses[lane] - region->begin);
      touch(addresses[lane]);
    }
    return true;
  }

  std::byte *resolveLane(Space space, uint64_t address, unsigned lane) {
    switch (space) {
    case Space::Generic:
      if ((address & windowMask) == sharedWindow)
        return resolveLane(Space::Shared, address & ~windowMask, lane);
      if ((address & windowMask) == localWindow)
        return resolveLane(Space::Local, address & ~windowMask, lane);
      if ((address & windowMask) == paramWindow)
        return resolveLane(Space::Param, address & ~windowMask, lane);
      return global(address, lane);
    case Space::Global:
    case Space::Const:
      return global(address, lane);
    case Space::Shared:
      return within("shared", warp.grid->shared.data(), warp.grid->shared.size(), address, lane);
    case Space::Local:
      return within("local", warp.localAt(lane, 0), warp.stackBytes, address, lane);
    case Space::Param:
      return within("parameter", warp.grid->parameters.data(), warp.grid->parameters.size(),
                    address, lane);
    }
    return nullptr;
  }

  std::byte *within(const char *memory, std::byte *base, uint64_t size, uint64_t address,
                    unsigned lane) {
    checkAlignment(address, lane);
    if (address > size || bytes > size - address)
      fail(address, lane,
           std::string("of the ") + std::to_string(size) + " bytes of " + memory + " memory");
    return base + address;
  }

  std::byte *global(uint64_t address, unsigned lane) {
    checkAlignment(address, lane);
    const Region *region = warp.grid->find(address, bytes);
    if (!region) {
      Region near = warp.grid->memory->find(address);
      fail(address, lane,
           near.host ? "which runs past the end of its allocation" : "which is in no allocation");
    }
    touch(address);
    return region->host + (address - region->begin);
  }

  void checkAlignment(uint64_t address, unsigned lane) {
    if (address % bytes)
      fail(address, lane, "which is misaligned");
  }

  /// Gathers neighbours and repetitions into one range.
  void touch(uint64_t address) {
    if (address == end) {
      end += bytes;
    } else if (address < begin || address + bytes > end) {
      flush();
      begin = address;
      end = address + bytes;
    }
  }

  void flush() {
    if (begin == end)
      return;
    if (const char *problem = warp.grid->memory->touch(begin, end - begin, instruction.access))
      throw TrapError(problem);
    begin = end = 0;
  }

  [[noreturn]] void fail(uint64_t address, unsigned lane, const std::string &why) {
    std::ostringstream text;
    text << describeLane(warp, lane)
         << (instruction.access == Access::Read    ? " reads "
             : instruction.access == Access::Write ? " writes "
                                                   : " updates ")
         << bytes << " bytes at 0x" << std::hex << address << ", " << why;
    throw TrapError(text.str());
  }

  Warp &warp;
  const Instruction &instruction;
  const uint32_t mask;
  const uint64_t bytes;
  uint64_t begin = 0, end = 0;
};

} // namespace

void resolve(Warp &warp, const Instruction &instruction, Slot address, uint32_t mask,
             std::byte *(&pointers)[warpSize]) {
  uint64_t addresses[warpSize];
  std::memcpy(addresses, warp.at(address), sizeof addresses);
  for (uint64_t &value : addresses)
    value += static_cast<uint64_t>(instruction.immediate);
  Resolver(warp, instruction, mask).run(addresses, pointers);
}

} // namespace sheaf::standin::ptx
