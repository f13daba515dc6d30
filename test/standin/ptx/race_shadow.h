// What is known of each byte of a memory in a launch: who wrote it last, and who has read it since.
#ifndef SHEAF_TEST_STANDIN_PTX_RACE_SHADOW_H
#define SHEAF_TEST_STANDIN_PTX_RACE_SHADOW_H

#include <array>
#include <memory>
#include <unordered_map>

#include "test/standin/ptx/thread_clock.h"

namespace sheaf::standin::ptx {

/// Cells of as many bytes as the smallest access of the kernel has. All accesses are aligned to their size, so each
/// is of whole cells, and nothing is lost.
///
/// Of readers since the last write a cell keeps two (of atomic updates too, which must not meet readers: they are
/// kept in the same places). A third takes the second's place if only then both are of different warps. That is
/// enough where whole warps and whole blocks wait for each other: a later access that is unordered with any reader
/// is unordered with one of the two. Whoever is in the block that runs now is ordered with none of an earlier
/// block, with all threads of another warp or with none, and with all other lanes of its warp or with none. Where
/// parts of a warp or a block wait for themselves, a reader may be forgotten that would matter: then a race may be
/// missed, and none is invented.
class RaceShadow {
public:
  /// `cellBytes` is a power of 2. `isOfBlock`: each block has such memory of its own. `mayReadInVain`: as Launch
  /// has it.
  RaceShadow(const ThreadClock &clock, uint32_t cellBytes, bool isOfBlock, bool mayReadInVain);

  /// An earlier access that nothing orders with one that is noted.
  struct Conflict {
    Stamp earlier; ///< none: there is no conflict
    Access access = Access::Read;
    explicit operator bool() const { return bool(earlier); }
  };
  /// Notes an access by the thread of `now`, whose stamp says whether it is atomic.
  Conflict read(uint64_t address, uint64_t bytes, Stamp now);
  Conflict write(uint64_t address, uint64_t bytes, Stamp now);
  Conflict update(uint64_t address, uint64_t bytes, Stamp now);
  void clear();

private:
  static constexpr size_t pageCells = 256;
  struct Page {
    std::array<Stamp, pageCells> writers, firstReaders, secondReaders;
    /// Where this is at least the clock's floor, reads need not be noted: no write is to be feared, and both
    /// readers are kept until a write comes.
    std::array<uint32_t, pageCells> settled{};
  };
  struct Cell {
    Stamp &writer, &first, &second;
    uint32_t &settled;
  };

  Page &pageOf(uint64_t number);
  template <typename Visit> Conflict forEachCell(uint64_t address, uint64_t bytes, Visit visit);
  bool precedes(Stamp earlier, Stamp now) const {
    return clock.isOfEarlierBlock(earlier) ? isOfBlock || clock.isAcquired(earlier, now)
                                           : clock.precedes(earlier, now);
  }
  /// `isRead`: one of the two is no more than that.
  bool collide(Stamp earlier, Stamp now, bool isRead) const {
    return earlier && !precedes(earlier, now) &&
           !(isRead && mayReadInVain && !clock.isOfEarlierBlock(earlier));
  }
  bool isReplaced(Stamp reader, Stamp by) const;
  void addReader(Cell cell, Stamp now);
  Conflict readCell(Cell cell, Stamp now);
  Conflict writeCell(Cell cell, Stamp now);
  Conflict updateCell(Cell cell, Stamp now);

  const ThreadClock &clock;
  const unsigned cellShift;
  const bool isOfBlock, mayReadInVain;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  struct Recent {
    uint64_t number = UINT64_MAX;
    Page *page = nullptr;
  };
  std::array<Recent, 64> recent;
};

} // namespace sheaf::standin::ptx

#endif
