// What a `contract` computes, seen as batches of matrix products.
#ifndef SHEAF_RUNTIME_CORE_CONTRACT_PLAN_H
#define SHEAF_RUNTIME_CORE_CONTRACT_PLAN_H

#include "runtime/core/activation.h"
#include "runtime/core/device.h"

#include <vector>

namespace sheaf::rt {

/// What a `contract` also sums up over its rows.
enum class ContractSums { none, lhs, rhs, result };

/// The parameters of a `contract`.
struct ContractParams {
  std::vector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  double alpha = 1;
  Activation activation = Activation::none;
  bool hasLhsScale = false;
  bool hasRhsScale = false;
  bool hasBias = false;
  bool hasAddend = false;
  bool isPacked = false;
  bool allowsTf32 = false;
  // Of GPUs only.
  bool keepsPreactivation = false;
  Activation derivative = Activation::none; ///< none or geluTanh
  ContractSums sums = ContractSums::none;

  /// Whether it is more than a product with bias, addend and activation.
  bool servesGradients() const {
    return keepsPreactivation || derivative != Activation::none || sums != ContractSums::none;
  }

  static ContractParams read(Params &params);
};

/// result[b.., m, n] = activation(alpha * sum over k of lhs[b.., m, k] * rhs[b.., k, n] + bias[n] + addend[b.., m, n])
///
/// All strides in elements. The addend has the strides of the result.
struct ContractPlan {
  struct BatchDim {
    int64_t extent;
    int64_t lhsStride, rhsStride, resultStride;
  };
  abi::ElementType lhsType, rhsType, resultType;
  std::vector<BatchDim> batch; ///< merged, none of extent 1
  int64_t m, n, k;
  int64_t lhsStrideM, lhsStrideK;
  int64_t rhsStrideK, rhsStrideN;
  int64_t resultStrideM, resultStrideN;
  double alpha;
  Activation activation;
  bool hasBias, hasAddend;

  int64_t batchCount() const;

  /// The dims of the result: batch, lhs free, rhs free. Errors: dims that do not exist or do not match.
  static Result<std::vector<int64_t>> resultDims(const ContractParams &params,
                                                 const BufferShape &lhs, const BufferShape &rhs);

  /// Errors: dims that do not match, or strides that do not collapse (runtime/abi/contract_strides.h).
  static Result<ContractPlan> make(const ContractParams &params, const BufferShape &lhs,
                                   const BufferShape &rhs, const BufferShape &result);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CONTRACT_PLAN_H
