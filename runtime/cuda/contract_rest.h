// Kernels for what of a `contract` is to be done when the product is there.
#ifndef SHEAF_RUNTIME_CUDA_CONTRACT_REST_H
#define SHEAF_RUNTIME_CUDA_CONTRACT_REST_H

#include "runtime/cuda/contract_epilogue.h"
#include "runtime/cuda/registry.h"

#include <functional>

namespace sheaf::rt::cuda {

/// Puts it into the stream of the call; empty when nothing is left.
using RestOfContract = std::function<Status(void *const *buffers)>;

Result<RestOfContract> bindRest(CudaCallSite &site, const ContractPlan &plan,
                                const ContractPlaces &places, const ContractEpilogue &epilogue);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONTRACT_REST_H
