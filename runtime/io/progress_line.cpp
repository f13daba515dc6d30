// Formats and draws progress.
#include "runtime/io/progress_line.h"

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

/// "3m12s"
std::string formatSeconds(double seconds) {
  auto whole = static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole < 60)
    return std::to_string(whole) + "s";
  if (whole < 3600)
    return std::to_string(whole / 60) + "m" + std::to_string(whole % 60) + "s";
  return std::to_string(whole / 3600) + "h" + std::to_string(whole % 3600 / 60) + "m";
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
                           size_t columns, bool isUtf8) {
  constexpr size_t numbersAndBar = 60, indent = 2;
  bool isShort = total <= 0 || columns < numbersAndBar + 10;
  size_t room = isShort ? columns - std::min(columns, indent) : columns - numbersAndBar;
  std::string text = std::string(indent, ' ') + std::string(what.substr(0, room));
  if (isShort)
    return text;
  done = std::clamp<int64_t>(done, 0, total);
  double share = static_cast<double>(done) / static_cast<double>(total);
  text += "  " + std::to_string(done) + "/" + std::to_string(total) + "  " +
          formatBar(share, 20, isUtf8);
  if (done > 0 && elapsedS >= 1)
    text += "  eta " + formatSeconds(elapsedS * (1 - share) / share);
  return text;
}

ProgressLine::ProgressLine() {
  const char *terminal = std::getenv("TERM");
  isOn = ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
  isUtf8 = hasUtf8Locale();
}

void ProgressLine::show(std::string_view what, int64_t done, int64_t total) {
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
      formatProgress(what, done, total, elapsed.count(), terminalColumns() - 1, isUtf8);
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
