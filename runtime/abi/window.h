// Which elements of a dim the parts of another need, and who sends them to whom: halos.
//
// The places of a dim see an operand through a window: place q needs the elements from
// floor((scale q + first) / divisor) to floor((scale q + last) / divisor) of the whole operand. Each member of a group
// gets what its part of the places needs, in a buffer with room for what a full block of places needs, wherever it
// begins.
#ifndef SHEAF_RUNTIME_ABI_WINDOW_H
#define SHEAF_RUNTIME_ABI_WINDOW_H

#include "runtime/abi/shard.h"
#include "runtime/abi/traffic.h"

#include <vector>

namespace sheaf::abi {

/// How places see an operand. `scale` is not 0, `divisor` at least 1; no product overflows.
struct Window {
  int64_t scale = 1, divisor = 1, first = 0, last = 0;

  /// A run of elements, perhaps empty and perhaps outside the operand.
  struct Run {
    int64_t begin = 0, end = 0;
  };

  /// What `count` places, at least 1, from `place` on need.
  constexpr Run needed(int64_t place, int64_t count) const {
    int64_t low = scale * place, high = scale * (place + count - 1);
    if (scale < 0)
      std::swap(low, high);
    int64_t begin = floorDivided(low + first);
    return {begin, std::max(begin, floorDivided(high + last) + 1)};
  }

  /// The elements that a buffer for `block` places has room for.
  constexpr int64_t room(int64_t block) const {
    Run run = needed(0, std::max<int64_t>(block, 1));
    return block == 0 ? 0 : std::max<int64_t>(run.end - run.begin, 1);
  }

private:
  constexpr int64_t floorDivided(int64_t x) const {
    return x / divisor - (x % divisor < 0 ? 1 : 0);
  }
};

/// Elements that member `from` holds and member `to`, perhaps the same, needs: `count` of them, at `fromOffset` in the
/// part of one and at `toOffset` in the buffer of the other.
struct WindowTransfer {
  int64_t from, to, fromOffset, toOffset, count;
};

/// All transfers of a group whose members hold `parts` of the operand and compute `places`, by receiver, then sender.
/// A member that computes no place needs nothing.
inline std::vector<WindowTransfer> windowTransfers(const Window &window,
                                                   const std::vector<Shard> &parts,
                                                   const std::vector<Shard> &places) {
  std::vector<WindowTransfer> transfers;
  for (size_t to = 0; to < places.size(); ++to) {
    const Shard &own = places[to];
    if (own.extent == 0)
      continue;
    Window::Run needed = window.needed(own.begin, own.extent);
    int64_t start = window.needed(own.begin, own.block).begin;
    // Parts are in order: those before the run end before it begins.
    auto from = std::partition_point(parts.begin(), parts.end(), [&](const Shard &part) {
      return part.begin + part.extent <= needed.begin;
    });
    for (; from != parts.end() && from->begin < needed.end; ++from) {
      int64_t begin = std::max(needed.begin, from->begin);
      int64_t end = std::min(needed.end, from->begin + from->extent);
      if (begin < end)
        transfers.push_back({from - parts.begin(), static_cast<int64_t>(to), begin - from->begin,
                             begin - start, end - begin});
    }
  }
  return transfers;
}

/// payload: the buffers of all `n` members; ring: what the member sends that sends most. All 0 when nobody sends
/// anything: then nothing is issued. `elementBytes` are those of one element along the dim.
inline Traffic windowTraffic(const std::vector<WindowTransfer> &transfers, int64_t n,
                             int64_t bufferBytes, int64_t elementBytes) {
  std::vector<int64_t> sent(static_cast<size_t>(n), 0);
  for (const WindowTransfer &transfer : transfers)
    if (transfer.from != transfer.to)
      sent[static_cast<size_t>(transfer.from)] += transfer.count;
  int64_t most = *std::max_element(sent.begin(), sent.end()) * elementBytes;
  return most == 0 ? Traffic() : Traffic{n * bufferBytes, most};
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_WINDOW_H
