// Formats numbers with units.
#include "runtime/io/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace sheaf::rt::io {
namespace {

std::string print(const char *format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Three digits of a number below 1000 or so.
std::string threeDigits(double value) {
  return print(value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

} // namespace

std::string formatBytes(int64_t bytes) {
  constexpr std::array<const char *, 5> units = {" B", " KiB", " MiB", " GiB", " TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return (unit == 0 ? print("%.0f", value) : threeDigits(value)) + units[unit];
}

std::string formatSeconds(double seconds) {
  auto whole = static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole < 60)
    return std::to_string(whole) + "s";
  if (whole < 3600)
    return std::to_string(whole / 60) + "m" + std::to_string(whole % 60) + "s";
  return std::to_string(whole / 3600) + "h" + std::to_string(whole % 3600 / 60) + "m";
}

std::string formatCount(double count) {
  constexpr std::array<const char *, 5> units = {"", "k", "M", "G", "T"};
  size_t unit = 0;
  for (; count >= 1000 && unit + 1 < units.size(); ++unit)
    count /= 1000;
  return threeDigits(count) + units[unit];
}

std::string formatNumber(double number) {
  double size = std::fabs(number);
  if (size != 0 && (size < 1e-3 || size >= 1e5))
    return print("%.2e", number);
  return print(size >= 1000 ? "%.0f" : size >= 1 ? "%.3f" : "%.4f", number);
}

} // namespace sheaf::rt::io
