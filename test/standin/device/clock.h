// Vector clocks: what an operation knows to have happened before it.
#ifndef SHEAF_TEST_STANDIN_DEVICE_CLOCK_H
#define SHEAF_TEST_STANDIN_DEVICE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sheaf::standin {

/// An operation: the `index`-th of a stream, from 1. Stream 0 stands for what has happened before all else.
struct Epoch {
  uint32_t stream = 0;
  uint64_t index = 0;
  bool operator==(const Epoch &) const = default;
};

/// Of each stream, how many of its operations have happened before.
class Clock {
public:
  void join(const Clock &other) {
    if (counts.size() < other.counts.size())
      counts.resize(other.counts.size());
    for (size_t i = 0; i < other.counts.size(); ++i)
      counts[i] = std::max(counts[i], other.counts[i]);
  }
  void reach(Epoch epoch) {
    if (counts.size() <= epoch.stream)
      counts.resize(epoch.stream + 1);
    counts[epoch.stream] = std::max(counts[epoch.stream], epoch.index);
  }
  /// Whether `epoch` has happened before.
  bool knows(Epoch epoch) const {
    return epoch.stream == 0 ||
           (epoch.stream < counts.size() && counts[epoch.stream] >= epoch.index);
  }

  /// Whether all that `other` knows is known.
  bool covers(const Clock &other) const {
    for (size_t i = 0; i < other.counts.size(); ++i)
      if (other.counts[i] > (i < counts.size() ? counts[i] : 0))
        return false;
    return true;
  }

private:
  std::vector<uint64_t> counts;
};

} // namespace sheaf::standin

#endif
