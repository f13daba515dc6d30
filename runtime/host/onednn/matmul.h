// Contractions by oneDNN's matmul.
#ifndef SHEAF_RUNTIME_HOST_ONEDNN_MATMUL_H
#define SHEAF_RUNTIME_HOST_ONEDNN_MATMUL_H

#include "runtime/core/contract_plan.h"

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

namespace sheaf::rt::host::onednn {

/// Where the operands of a contract are among the instruction's buffers.
struct ContractBuffers {
  size_t lhs = 0, rhs = 1, bias = 0, addend = 0, result = 2;
  bool isAddendInPlace = false;
};

/// The contract as a step, or null when the library does not compute it exactly as the call is defined (element
/// types it lacks, an empty sum, too many dims). `packedRhs`: the layout pack_weights chose, or null.
std::unique_ptr<Step> makeMatmul(const ContractPlan &plan, const ContractBuffers &buffers,
                                 const dnnl::memory::desc *packedRhs);

/// The layout of the rhs that the library is fastest with; none when makeMatmul would give null.
std::optional<dnnl::memory::desc> preferredRhs(const ContractPlan &plan);

/// The rhs of `plan` in its plain strides; only where makeMatmul gives a step.
dnnl::memory::desc plainRhs(const ContractPlan &plan);

} // namespace sheaf::rt::host::onednn

#endif // SHEAF_RUNTIME_HOST_ONEDNN_MATMUL_H
