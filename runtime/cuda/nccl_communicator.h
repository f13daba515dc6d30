// Reaches other ranks with the memory of a GPU.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_COMMUNICATOR_H
#define SHEAF_RUNTIME_CUDA_NCCL_COMMUNICATOR_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/cuda_device.h"

namespace sheaf::rt::cuda {

/// Groups whose collectives NCCL does, in the streams of `device`. The ranks find each other by `processes`. Both must
/// outlive the result, which must outlive its groups.
///
/// All ranks make their groups of the same partition at the same time: each group is split from that of all ranks.
std::unique_ptr<DeviceCommunicator> makeNcclCommunicator(CudaDevice &device,
                                                         Communicator &processes);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_COMMUNICATOR_H
