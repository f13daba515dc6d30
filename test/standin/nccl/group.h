// Calls between ncclGroupStart and ncclGroupEnd.
#ifndef SHEAF_TEST_STANDIN_NCCL_GROUP_H
#define SHEAF_TEST_STANDIN_NCCL_GROUP_H

#include "test/standin/nccl/call.h"

namespace sheaf::standin::nccl {

/// Checks a call; enqueues it now, or when the group of the calling thread ends.
ncclResult_t issue(Call call, cudaStream_t stream);

/// Waits until a blocking communicator is ready, now or when the group of the thread ends.
ncclResult_t settle(const std::shared_ptr<Communicator> &communicator);

} // namespace sheaf::standin::nccl

#endif
