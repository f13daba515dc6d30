// What of a `contract` cuBLASLt does as it stores the product, and what is left.
#ifndef SHEAF_RUNTIME_CUDA_CONTRACT_EPILOGUE_H
#define SHEAF_RUNTIME_CUDA_CONTRACT_EPILOGUE_H

#include "runtime/cuda/contract_places.h"
#include "runtime/cuda/contract_problem.h"

namespace sheaf::rt::cuda {

/// What is to be done when the product is there.
struct ContractRest {
  Activation activation = Activation::none;
  bool isDifferentiated = false;
  ContractSums sums = ContractSums::none;
};

/// Buffers of an instruction: the product is written to `product`; `vector` and `auxiliary` as in LtOperands.
struct ContractEpilogue {
  cublasLtEpilogue_t kind = CUBLASLT_EPILOGUE_DEFAULT;
  std::optional<size_t> vector, auxiliary;
  size_t product = 2;
  ContractRest rest;

  /// All that the library may have a way for.
  static ContractEpilogue whole(const ContractParams &params, const ContractPlan &plan,
                                const ContractProblem &problem, const ContractPlaces &places);
  /// At most the bias: for when the library has no way for the whole.
  static ContractEpilogue least(const ContractParams &params, const ContractPlaces &places);
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONTRACT_EPILOGUE_H
