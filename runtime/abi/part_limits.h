// How much an executable may repeat: the compiler keeps to it, the reader insists on it.
#ifndef SHEAF_RUNTIME_ABI_PART_LIMITS_H
#define SHEAF_RUNTIME_ABI_PART_LIMITS_H

#include <cstdint>

namespace sheaf::abi {

/// The most that the parts of a program may run in one run of it, each counted as often as it runs.
inline constexpr int64_t maxPartRuns = int64_t(1) << 21;

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_PART_LIMITS_H
