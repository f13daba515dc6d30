// Contractions in every element type, by plain blocked loops.
#ifndef SHEAF_RUNTIME_HOST_CONTRACT_LOOPS_H
#define SHEAF_RUNTIME_HOST_CONTRACT_LOOPS_H

#include "runtime/core/contract_plan.h"

namespace sheaf::rt::host {

/// The contract as a step, for what the vendor library does not do: f16, f64, wide integers, empty sums. The buffers
/// are lhs, rhs, [bias], [addend], result. Errors: element types that do not go together.
Result<std::unique_ptr<Step>> makeContractLoops(const ContractPlan &plan);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_CONTRACT_LOOPS_H
