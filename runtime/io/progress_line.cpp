// Formats and draws progress.
#include "runtime/io/progress_line.h"

#include "runtime/io/quantity_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sheaf::rt::io {
namespace {

/// `share` of `width` characters.
std::string formatBar(double share, int width, bool isUtf8) {
  constexpr std::array<std::string_view, 9> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  int filled = static_cast<int>(share * width * 8);
  std::string bar;
  for (int i = 0; i < width; ++i) {
    int part = std::clamp(filled - 8 * i, 0, 8);
    if (part == 0)
      bar += ' ';
    else
      bar += isUtf8 ? eighths[static_cast<size_t>(part)] : "#";
  }
  return bar;
}

/// Characters of UTF-8.
size_t columnsOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// True when the locale of the environment says that text is UTF-8.
bool hasUtf8Locale() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char *value = std::getenv(name); value && *value) {
      std::string_view locale(value);
      return locale.find("UTF-8") != std::string_view::npos ||
             locale.find("utf8") != std::string_view::npos;
    }
  return false;
}

/// The width of the terminal on stderr, as far as we use it.
size_t terminalColumns() {
  winsize size{};
  bool isKnown = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? std::min<size_t>(size.ws_col, 100) : 80;
}

} // namespace

std::string formatProgress(std::string_view what, int64_t done, int64_t total, double elapsedS,
                           size_t columns, bool isUtf8, std::span<const std::string> details) {
  constexpr size_t numbersAndBar = 60, indent = 2;
  bool isShort = total <= 0 || columns < numbersAndBar + 10;
  int barColumns = details.empty() ? 20 : 10;
  size_t room = isShort ? columns - std::min(columns, indent) : columns - numbersAndBar;
  std::string text = std::string(indent, ' ') + std::string(what.substr(0, room));
  if (isShort)
    return text;
  done = std::clamp<int64_t>(done, 0, total);
  double share = static_cast<double>(done) / static_cast<double>(total);
  text += "  " + std::to_string(done) + "/" + std::to_string(total) + "  " +
          formatBar(share, barColumns, isUtf8);
  if (done > 0 && elapsedS >= 1 && details.empty())
    text += "  eta " + formatSeconds(elapsedS * (1 - share) / share);
  // Of the bar, which is not ASCII, each character is one column.
  size_t width = columnsOf(text);
  for (const std::string &detail : details) {
    width += indent + columnsOf(detail);
    if (width > columns)
      break;
    text += std::string(indent, ' ') + detail;
  }
  return text;
}

ProgressLine::ProgressLine() {
  const char *terminal = std::getenv("TERM");
  isOn = ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
  isUtf8 = hasUtf8Locale();
}

void ProgressLine::show(std::string_view what, int64_t done, int64_t total,
                        std::span<const std::string> details) {
  if (!isOn)
    return;
  Clock::time_point now = Clock::now();
  if (what != current) {
    current = what;
    start = now;
  } else if (now - lastDrawn < std::chrono::milliseconds(100)) {
    return;
  }
  lastDrawn = now;
  std::chrono::duration<double> elapsed = now - start;
  // One column less: a full line would wrap.
  std::string text =
      formatProgress(what, done, total, elapsed.count(), terminalColumns() - 1, isUtf8, details);
  isDrawn = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str()); // to the first column; erase the line
  std::fflush(stderr);
}

void ProgressLine::wipe() {
  if (!isDrawn)
    return;
  isDrawn = false;
  current.clear();
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

} // namespace sheaf::rt::io
