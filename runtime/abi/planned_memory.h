// What counts as the planned memory of a program: the compiler predicts it, the runtime counts it, both by these rules.
#ifndef SHEAF_RUNTIME_ABI_PLANNED_MEMORY_H
#define SHEAF_RUNTIME_ABI_PLANNED_MEMORY_H

#include <cstdint>
#include <limits>

/// The planned memory of a program on one rank is the most bytes of blocks that hold its values at one time:
///
/// - every variable that stays after "prepare", whether it has memory of its own or is used in place in a mapped file,
/// - the arenas of the program,
/// - its inputs and outputs,
/// - in "prepare" also what an instruction reads from a file where it is not aligned, or where a rank holds a part
///   of it: a copy, while it runs.
///
/// The peak of a run is the larger of "prepare" and the program that runs after it. It does not count: what
/// "prepare" alone reads in place (pages of a file, which the system may drop), the scratch of library calls (it
/// depends on threads and on the library, so nobody can predict it; shard-run prints it beside the peak), the
/// executable file itself, code, and stacks.
namespace sheaf::abi {

/// Blocks start at multiples of this. So must a value in a file to be used in place.
inline constexpr int64_t blockAlignment = 64;

/// What a block for `bytes` bytes, not negative, counts; the largest number when it overflows.
constexpr int64_t blockBytes(int64_t bytes) {
  if (bytes <= blockAlignment)
    return blockAlignment; // Even nothing has an address.
  if (bytes > std::numeric_limits<int64_t>::max() - blockAlignment)
    return std::numeric_limits<int64_t>::max();
  return (bytes + blockAlignment - 1) / blockAlignment * blockAlignment;
}

/// True when "prepare" reads a value of `bytes` bytes at `offset` of a file, that no program writes, in place. A rank's
/// part of a value never is, though it may be aligned for some ranks: the plan is one for all.
constexpr bool isUsedInPlace(uint64_t offset, int64_t bytes, bool isCut = false) {
  return bytes == 0 || (!isCut && offset % blockAlignment == 0);
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_PLANNED_MEMORY_H
