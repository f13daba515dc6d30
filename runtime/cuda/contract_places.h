// The buffers of a `contract`, found and checked.
#ifndef SHEAF_RUNTIME_CUDA_CONTRACT_PLACES_H
#define SHEAF_RUNTIME_CUDA_CONTRACT_PLACES_H

#include "runtime/core/contract_plan.h"

#include <optional>

namespace sheaf::rt::cuda {

/// Where all but lhs and rhs, which are 0 and 1, are among the instruction's buffers.
struct ContractPlaces {
  std::optional<size_t> lhsScale, rhsScale; ///< of 8-bit floats
  std::optional<size_t> bias, addend;
  std::optional<size_t> preactivation; ///< in or out
  std::optional<size_t> sums;
  size_t result = 2;
  /// Alpha and the factor of the addend, as f32 on the GPU, where lhs and rhs are widened: behind the buffers of the
  /// instruction.
  std::optional<size_t> factors;

  /// Errors: buffers that the parameters don't ask for or of other types, extents or strides than they say, and
  /// parameters that don't go together.
  static Result<ContractPlaces> find(const CallSite &site, const ContractParams &params,
                                     const ContractPlan &plan);
};

/// Errors: numbers of buffers that are not those of the parameters, and an out that is an in but where that may be.
Status checkContractSite(const CallSite &site, const ContractParams &params);

/// Null where there is none.
inline const void *bufferAt(void *const *buffers, std::optional<size_t> place) {
  return place ? buffers[*place] : nullptr;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONTRACT_PLACES_H
