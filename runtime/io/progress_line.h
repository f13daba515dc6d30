// The line of a terminal that shows how far long work is.
#ifndef SHEAF_RUNTIME_IO_PROGRESS_LINE_H
#define SHEAF_RUNTIME_IO_PROGRESS_LINE_H

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::rt::io {

/// "  running  412/1000  ########              eta 3m12s", in at most `columns`. With a `total` of 0, or fewer columns
/// than 70, only `what` is shown. The bar is of block characters when `isUtf8`. `details` stand in place of the time
/// that is left, as many as there is room for.
std::string formatProgress(std::string_view what, int64_t done, int64_t total, double elapsedS,
                           size_t columns, bool isUtf8, std::span<const std::string> details = {});

/// Draws on stderr, ten times a second at most, when it is a terminal; else does nothing, so that logs stay clean.
/// What is drawn is wiped before the object is destroyed, or by `wipe` before other output.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { wipe(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void show(std::string_view what, int64_t done = 0, int64_t total = 0,
            std::span<const std::string> details = {});
  bool isShown() const { return isOn; }
  void wipe();

private:
  using Clock = std::chrono::steady_clock;

  bool isOn;
  bool isUtf8 = false;
  bool isDrawn = false;
  std::string current; ///< what is being done
  Clock::time_point start, lastDrawn;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_PROGRESS_LINE_H
