// What is known of each byte of an allocation: who wrote it last, and who has read it since.
#ifndef SHEAF_TEST_STANDIN_DEVICE_SHADOW_H
#define SHEAF_TEST_STANDIN_DEVICE_SHADOW_H

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/standin/device/clock.h"

namespace sheaf::standin {

/// An access that must not be, and the earlier one it collides with.
struct Conflict {
  enum Kind {
    NeverWritten,   ///< a read of what nobody wrote
    ReadAfterWrite, ///< a read that nothing orders behind the write
    WriteAfterRead,
    WriteAfterWrite
  };
  Kind kind = NeverWritten;
  uint64_t begin = 0; ///< of the range, within what was accessed
  uint64_t end = 0;
  Epoch other; ///< not of NeverWritten
};

class Shadow {
public:
  Shadow(uint64_t begin, uint64_t end) { segments[begin] = Segment{end, {}, {}}; }

  /// Notes that `epoch`, which knows of `clock`, reads [begin, end). Pinned memory is written by the host
  /// too, unseen: `mayBeUnwritten`.
  std::optional<Conflict> read(uint64_t begin, uint64_t end, Epoch epoch, const Clock &clock,
                               bool mayBeUnwritten);
  std::optional<Conflict> write(uint64_t begin, uint64_t end, Epoch epoch, const Clock &clock);

private:
  struct Segment {
    uint64_t end = 0;
    Epoch writer;               ///< index 0: nobody
    std::vector<Epoch> readers; ///< since then; of each stream the last
  };
  using Segments = std::map<uint64_t, Segment>;

  Segments::iterator split(uint64_t at);
  void mergeAround(uint64_t begin, uint64_t end);

  Segments segments; ///< by their begin; no gaps
};

} // namespace sheaf::standin

#endif
