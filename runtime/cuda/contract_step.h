// Contractions as steps: by the library, by kernels of our own, and of 8-bit floats that are widened first.
#ifndef SHEAF_RUNTIME_CUDA_CONTRACT_STEP_H
#define SHEAF_RUNTIME_CUDA_CONTRACT_STEP_H

#include "runtime/cuda/contract_places.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// A step by cuBLASLt for the call at `site`. Null when it has no way to compute it.
BoundStep bindLibraryContract(CudaCallSite &site, const ContractParams &params,
                              const ContractPlan &plan, const ContractPlaces &places);

/// A step of our own. Not of 8-bit floats.
BoundStep bindContractKernel(CudaCallSite &site, const ContractParams &params,
                             const ContractPlan &plan, const ContractPlaces &places);

/// A step that widens lhs and rhs, 8-bit floats, and multiplies them by either of these. Errors: they would not fit in
/// memory.
BoundStep bindWidenedContract(CudaCallSite &site, const ContractParams &params,
                              const ContractPlaces &places);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONTRACT_STEP_H
