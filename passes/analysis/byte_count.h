// Sums and text of byte counts.
#ifndef SHEAF_PASSES_ANALYSIS_BYTE_COUNT_H
#define SHEAF_PASSES_ANALYSIS_BYTE_COUNT_H

#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <limits>
#include <string>

namespace sheaf {

/// The sum of two counts that are not negative; the largest count when it overflows.
inline int64_t addBytes(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max() : sum;
}

/// "1.16 GiB": three digits and a binary unit.
std::string formatBytes(int64_t bytes);

} // namespace sheaf

#endif
