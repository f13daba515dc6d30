// The collectives of a group, by NCCL.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_GROUP_H
#define SHEAF_RUNTIME_CUDA_NCCL_GROUP_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/collective_trail.h"
#include "runtime/cuda/nccl_comm.h"

#include <memory>

namespace sheaf::rt::cuda {

/// The group of `size` members whose communicator is `comm`; this one is `index`. Puts its work into the stream of
/// `trail`, and notes there what it is. All of `device`, `comm` and `trail` must outlive the result.
std::unique_ptr<Group> makeNcclGroup(CudaDevice &device, NcclComm &comm, CollectiveTrail &trail,
                                     int index, int size);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_GROUP_H
