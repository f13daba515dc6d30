// Finds accesses of threads to one byte that nothing orders.
#include "test/standin/ptx/race_shadow.h"

#include <bit>

namespace sheaf::standin::ptx {

RaceShadow::RaceShadow(const ThreadClock &clock, uint32_t cellBytes, bool isOfBlock,
                       bool mayReadInVain)
    : clock(clock), cellShift(static_cast<unsigned>(std::countr_zero(cellBytes))),
      isOfBlock(isOfBlock), mayReadInVain(mayReadInVain) {}

void RaceShadow::clear() {
  pages.clear();
  recent.fill({});
}

RaceShadow::Page &RaceShadow::pageOf(uint64_t number) {
  Recent &known = recent[number % recent.size()];
  if (known.number != number) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    known = {number, page.get()};
  }
  return *known.page;
}

template <typename Visit>
RaceShadow::Conflict RaceShadow::forEachCell(uint64_t address, uint64_t bytes, Visit visit) {
  const uint64_t last = (address + bytes - 1) >> cellShift;
  for (uint64_t cell = address >> cellShift; cell <= last; ++cell)
    if (Conflict conflict = visit(pageOf(cell / pageCells), cell % pageCells))
      return conflict;
  return {};
}

/// Whether whatever is unordered with `reader` is so with `by`, too.
bool RaceShadow::isReplaced(Stamp reader, Stamp by) const {
  if (!reader)
    return true;
  if (clock.isOfEarlierBlock(reader))
    return isOfBlock;
  if (reader.bits < clock.floor())
    return true;
  // Of one thread, reads and atomic updates meet others' differently.
  return reader.thread() == by.thread() ? reader.isAtomic() == by.isAtomic()
                                        : clock.precedes(reader, by);
}

void RaceShadow::addReader(Cell cell, Stamp now) {
  if (isReplaced(cell.first, now))
    cell.first = now;
  else if (isReplaced(cell.second, now) ||
           (cell.first.warp() == cell.second.warp() && now.warp() != cell.first.warp()))
    cell.second = now;
}

RaceShadow::Conflict RaceShadow::readCell(Cell cell, Stamp now) {
  if (collide(cell.writer, now, /*isRead=*/true))
    return {cell.writer, Access::Write};
  for (Stamp other : {cell.first, cell.second})
    if (other.isAtomic() && collide(other, now, /*isRead=*/true))
      return {other, Access::Atomic};
  addReader(cell, now);
  const uint32_t floor = clock.floor();
  if (cell.first && clock.isOfEarlierBlock(cell.first))
    cell.settled = UINT32_MAX; // What may come is a write, which meets that reader.
  else if (cell.writer.bits < floor && cell.first.bits >= floor && cell.second.bits >= floor &&
           cell.first.warp() != cell.second.warp() && !cell.first.isAtomic() &&
           !cell.second.isAtomic())
    cell.settled = floor;
  return {};
}

RaceShadow::Conflict RaceShadow::writeCell(Cell cell, Stamp now) {
  if (collide(cell.writer, now, /*isRead=*/false))
    return {cell.writer, Access::Write};
  for (Stamp other : {cell.first, cell.second})
    if (collide(other, now, !other.isAtomic()))
      return {other, other.isAtomic() ? Access::Atomic : Access::Read};
  cell.writer = now;
  cell.first = cell.second = {};
  cell.settled = 0;
  return {};
}

RaceShadow::Conflict RaceShadow::updateCell(Cell cell, Stamp now) {
  if (collide(cell.writer, now, /*isRead=*/false))
    return {cell.writer, Access::Write};
  for (Stamp other : {cell.first, cell.second})
    if (!other.isAtomic() && collide(other, now, /*isRead=*/true))
      return {other, Access::Read};
  addReader(cell, now);
  cell.settled = 0;
  return {};
}

RaceShadow::Conflict RaceShadow::read(uint64_t address, uint64_t bytes, Stamp now) {
  const uint32_t floor = clock.floor();
  return forEachCell(address, bytes, [&](Page &page, size_t i) {
    if (page.settled[i] >= floor)
      return Conflict{};
    return readCell({page.writers[i], page.firstReaders[i], page.secondReaders[i], page.settled[i]},
                    now);
  });
}

RaceShadow::Conflict RaceShadow::write(uint64_t address, uint64_t bytes, Stamp now) {
  return forEachCell(address, bytes, [&](Page &page, size_t i) {
    return writeCell(
        {page.writers[i], page.firstReaders[i], page.secondReaders[i], page.settled[i]}, now);
  });
}

RaceShadow::Conflict RaceShadow::update(uint64_t address, uint64_t bytes, Stamp now) {
  return forEachCell(address, bytes, [&](Page &page, size_t i) {
    return updateCell(
        {page.writers[i], page.firstReaders[i], page.secondReaders[i], page.settled[i]}, now);
  });
}

} // namespace sheaf::standin::ptx
