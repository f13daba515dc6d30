// A `contract` as problems of cuBLASLt.
#ifndef SHEAF_RUNTIME_CUDA_CONTRACT_PROBLEM_H
#define SHEAF_RUNTIME_CUDA_CONTRACT_PROBLEM_H

#include "runtime/core/contract_plan.h"
#include "runtime/cuda/lt_matmul.h"

#include <optional>

namespace sheaf::rt::cuda {

/// How cuBLASLt, which is column-major, computes a contract: a row-major result is the transpose of what it writes.
struct ContractProblem {
  LtProblem product;
  bool isSwapped = false; ///< the library's a is the contract's rhs
  /// Dims of the batch that it can't walk itself: a product each.
  std::vector<ContractPlan::BatchDim> outer;
};

/// None when cuBLASLt has no such types, or the strides are none of its. `alignments`: the bytes to which the first
/// elements of lhs, rhs and result are known to be aligned. Takes TF32 for f32 only with `allowsTf32`.
std::optional<ContractProblem> contractProblem(const ContractPlan &plan,
                                               const std::array<uint32_t, 3> &alignments,
                                               bool allowsTf32);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONTRACT_PROBLEM_H
