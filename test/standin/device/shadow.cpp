// Keeps the last writer and the readers of ranges of bytes, and finds accesses that nothing orders.
#include "test/standin/device/shadow.h"

namespace sheaf::standin {

/// The segment that begins at `at`, which is cut off from what lies before.
Shadow::Segments::iterator Shadow::split(uint64_t at) {
  auto after = segments.lower_bound(at);
  if (after != segments.end() && after->first == at)
    return after;
  auto before = std::prev(after);
  if (before->second.end <= at)
    return after;
  Segment rest = before->second;
  before->second.end = at;
  return segments.emplace_hint(after, at, std::move(rest));
}

/// Joins equal neighbours again.
void Shadow::mergeAround(uint64_t begin, uint64_t end) {
  auto segment = segments.lower_bound(begin);
  if (segment != segments.begin())
    --segment;
  while (segment != segments.end() && segment->first < end) {
    auto next = std::next(segment);
    if (next == segments.end())
      return;
    const Segment &other = next->second;
    if (other.writer == segment->second.writer && other.readers == segment->second.readers) {
      segment->second.end = other.end;
      segments.erase(next);
    } else {
      segment = next;
    }
  }
}

std::optional<Conflict> Shadow::read(uint64_t begin, uint64_t end, Epoch epoch, const Clock &clock,
                                     bool mayBeUnwritten) {
  std::optional<Conflict> conflict;
  split(end);
  for (auto segment = split(begin); segment != segments.end() && segment->first < end; ++segment) {
    Segment &state = segment->second;
    const bool isUnwritten = state.writer.index == 0;
    if (!conflict && isUnwritten && !mayBeUnwritten)
      conflict = Conflict{Conflict::NeverWritten, segment->first, state.end, {}};
    if (!conflict && !isUnwritten && !clock.knows(state.writer))
      conflict = Conflict{Conflict::ReadAfterWrite, segment->first, state.end, state.writer};
    auto same = std::ranges::find(state.readers, epoch.stream, &Epoch::stream);
    if (same == state.readers.end())
      state.readers.push_back(epoch);
    else
      same->index = std::max(same->index, epoch.index);
  }
  mergeAround(begin, end);
  return conflict;
}

std::optional<Conflict> Shadow::write(uint64_t begin, uint64_t end, Epoch epoch,
                                      const Clock &clock) {
  std::optional<Conflict> conflict;
  split(end);
  for (auto segment = split(begin); segment != segments.end() && segment->first < end; ++segment) {
    Segment &state = segment->second;
    if (!conflict && state.writer.index != 0 && !clock.knows(state.writer))
      conflict = Conflict{Conflict::WriteAfterWrite, segment->first, state.end, state.writer};
    for (Epoch reader : state.readers)
      if (!conflict && !clock.knows(reader))
        conflict = Conflict{Conflict::WriteAfterRead, segment->first, state.end, reader};
    state.writer = epoch;
    state.readers.clear();
  }
  mergeAround(begin, end);
  return conflict;
}

} // namespace sheaf::standin
