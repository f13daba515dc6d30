// The collectives of a group, by NCCL.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_GROUP_H
#define SHEAF_RUNTIME_CUDA_NCCL_GROUP_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/cudart.h"
#include "runtime/cuda/nccl_comm.h"

#include <memory>

namespace sheaf::rt::cuda {

/// The group of `size` members whose communicator is `comm`, which must outlive the result; this one is `index`. Puts
/// its work into `stream`.
std::unique_ptr<Group> makeNcclGroup(NcclComm &comm, int index, int size, cudaStream_t stream);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_GROUP_H
