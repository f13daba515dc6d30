// Writes byte counts as people read them.
#include "passes/analysis/byte_count.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

std::string sheaf::formatBytes(int64_t bytes) {
  constexpr llvm::StringLiteral units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  int numDecimals = unit == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f ", numDecimals, value) << units[unit];
  return text;
}
