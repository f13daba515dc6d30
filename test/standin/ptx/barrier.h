// Barriers among the warps of a block.
#ifndef SHEAF_TEST_STANDIN_PTX_BARRIER_H
#define SHEAF_TEST_STANDIN_PTX_BARRIER_H

#include <vector>

#include "test/standin/ptx/warp.h"

namespace sheaf::standin::ptx {

/// What an Instruction of Flow::Barrier says in `mode`: what it makes of its predicates.
enum class BarrierResult : uint8_t { None, Count, And, Or };

/// Releases a barrier that is complete: takes its warps, which it returns, out of `waiting`, which holds
/// all warps of the block that have not ended. Throws TrapError if none is: the warps wait for ever.
///
/// operands: the result, the number of the barrier, how many threads it takes (if `immediate` is 1; else
/// all that have not ended), and a predicate.
std::vector<Warp *> passBarrier(std::vector<Warp *> &waiting);

} // namespace sheaf::standin::ptx

#endif
