// The reductions of NCCL.
#ifndef SHEAF_TEST_STANDIN_NCCL_REDUCE_H
#define SHEAF_TEST_STANDIN_NCCL_REDUCE_H

#include <cstddef>
#include <cstdint>
#include <nccl.h>
#include <vector>

namespace sheaf::standin::nccl {

/// 0 if the type is not supported.
uint64_t bytesOf(ncclDataType_t type);
/// `f32` and the like.
const char *nameOf(ncclDataType_t type);
const char *nameOf(ncclRedOp_t reduction);

/// Combines `count` elements of every part into the first, rank after rank; short floats are rounded at
/// each step, as they are on their way around a ring. `total` begins as the part of rank 0.
void reduce(std::byte *total, const std::vector<const std::byte *> &others, uint64_t count,
            ncclDataType_t type, ncclRedOp_t reduction);

} // namespace sheaf::standin::nccl

#endif
