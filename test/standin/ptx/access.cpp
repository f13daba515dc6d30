// Finds and checks the memory that lanes access.
#include <algorithm>
#include <bit>
#include <sstream>

#include "test/standin/ptx/grid.h"

namespace sheaf::standin::ptx {

/// "(3,0,0)": where `index` lies in what `extents` and the two special registers behind it say.
static std::string placeIn(const Warp &warp, uint64_t index, SpecialRegister extents) {
  std::ostringstream text;
  auto extent = [&](uint32_t dim) -> uint64_t { return warp.special[size_t(extents) + dim][0]; };
  text << "(" << index % extent(0) << "," << index / extent(0) % extent(1) << ","
       << index / extent(0) / extent(1) << ")";
  return text.str();
}

std::string describeThread(const Warp &warp, uint32_t thread, uint64_t block) {
  return "thread " + placeIn(warp, thread, SpecialRegister::NtidX) + " of block " +
         placeIn(warp, block, SpecialRegister::NctaidX);
}

std::string describeLane(const Warp &warp, unsigned lane) {
  using enum SpecialRegister;
  auto value = [&](SpecialRegister which) -> uint64_t { return warp.special[size_t(which)][0]; };
  const uint64_t block =
      value(CtaidX) + value(NctaidX) * (value(CtaidY) + value(NctaidY) * value(CtaidZ));
  return describeThread(warp, static_cast<uint32_t>(value(WarpId)) * warpSize + lane, block);
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

  /// Idle lanes have the address of one that runs.
  Placement run(const uint64_t (&addresses)[warpSize], std::byte *(&pointers)[warpSize]) {
    Span span = spanOf(addresses);
    const bool isTogether = span.bits % bytes == 0 && resolveTogether(addresses, span, pointers);
    if (!isTogether)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (mask >> lane & 1)
          pointers[lane] = resolveLane(instruction.space, addresses[lane], lane);
    flush();
    return isTogether ? span.placement : Placement::Any;
  }

private:
  /// The addresses of all lanes at a glance.
  struct Span {
    uint64_t low = UINT64_MAX, high = 0;
    uint64_t bits = 0; ///< that are set in any
    Placement placement = Placement::Any;
  };

  Span spanOf(const uint64_t (&addresses)[warpSize]) const {
    Span span;
    uint64_t unlikeSame = 0, unlikeDense = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      span.low = std::min(span.low, addresses[lane]);
      span.high = std::max(span.high, addresses[lane]);
      span.bits |= addresses[lane];
      unlikeSame |= addresses[lane] ^ addresses[0];
      unlikeDense |= addresses[lane] ^ (addresses[0] + lane * bytes);
    }
    span.placement = !unlikeSame    ? Placement::Same
                     : !unlikeDense ? Placement::Dense
                                    : Placement::Any;
    return span;
  }

  /// The usual case: all addresses are in one allocation, or in one of the other spaces. Returns false,
  /// and has done nothing, where that is not so, or something is wrong.
  bool resolveTogether(const uint64_t (&addresses)[warpSize], Span &span,
                       std::byte *(&pointers)[warpSize]) {
    Space space = instruction.space;
    uint64_t origin = 0; // the address that lies at `base`
    if (space == Space::Generic) {
      origin = span.low & windowMask;
      if ((span.high & windowMask) != origin)
        return false;
      space = spaceOfWindow(origin);
    }
    std::byte *base = nullptr;
    uint64_t size = 0, laneBytes = 0;
    switch (space) {
    case Space::Generic:
      return false;
    case Space::Global:
    case Space::Const: {
      const Region *region = warp.grid->find(span.low, span.high - span.low + bytes);
      if (!region)
        return false;
      base = region->host;
      origin = region->begin;
      size = region->end - region->begin;
      touchAll(addresses, span);
      break;
    }
    case Space::Shared:
      base = warp.grid->shared.data();
      size = warp.grid->shared.size();
      break;
    case Space::Local:
      base = warp.localAt(0, 0);
      size = laneBytes = warp.stackBytes;
      span.placement = Placement::Any; // each lane has its own
      break;
    case Space::Param:
      base = warp.grid->parameters.data();
      size = warp.grid->parameters.size();
      break;
    }
    if (size < bytes || span.high - origin > size - bytes)
      return false;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      pointers[lane] = base + (addresses[lane] - origin) + lane * laneBytes;
    if (warp.grid->races && (space == Space::Shared || space == Space::Global))
      warp.grid->races->access(warp, instruction, space, mask, addresses,
                               space == Space::Shared ? origin : 0,
                               span.placement == Placement::Same);
    return true;
  }

  static Space spaceOfWindow(uint64_t window) {
    switch (window) {
    case 0:
      return Space::Global;
    case sharedWindow:
      return Space::Shared;
    case localWindow:
      return Space::Local;
    case paramWindow:
      return Space::Param;
    default:
      return Space::Generic;
    }
  }

  void touchAll(const uint64_t (&addresses)[warpSize], const Span &span) {
    if (span.placement != Placement::Any) {
      begin = span.low;
      end = span.high + bytes;
      return;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        touch(addresses[lane]);
  }

  std::byte *resolveLane(Space space, uint64_t address, unsigned lane) {
    switch (space) {
    case Space::Generic: {
      const Space named = spaceOfWindow(address & windowMask);
      if (named == Space::Global || named == Space::Generic)
        return global(address, lane);
      return resolveLane(named, address & ~windowMask, lane);
    }
    case Space::Global:
    case Space::Const:
      return global(address, lane);
    case Space::Shared:
      return shared(address, lane);
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

  std::byte *shared(uint64_t address, unsigned lane) {
    std::byte *found =
        within("shared", warp.grid->shared.data(), warp.grid->shared.size(), address, lane);
    if (warp.grid->races)
      warp.grid->races->access(warp, instruction, Space::Shared, lane, address);
    return found;
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
    if (warp.grid->races)
      warp.grid->races->access(warp, instruction, Space::Global, lane, address);
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

Placement resolve(Warp &warp, const Instruction &instruction, Slot address, uint32_t mask,
                  std::byte *(&pointers)[warpSize]) {
  uint64_t addresses[warpSize];
  std::memcpy(addresses, warp.at(address), sizeof addresses);
  for (uint64_t &value : addresses)
    value += static_cast<uint64_t>(instruction.immediate);
  if (mask != allLanes) {
    const uint64_t running = addresses[std::countr_zero(mask)];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = mask >> lane & 1 ? addresses[lane] : running;
  }
  return Resolver(warp, instruction, mask).run(addresses, pointers);
}

} // namespace sheaf::standin::ptx
