// Tells cuBLASLt what a contract is.
#include "runtime/cuda/contract_problem.h"

#include <numeric>

namespace sheaf::rt::cuda {
namespace {

std::optional<cudaDataType_t> floatType(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::f8E4M3FN:
    return CUDA_R_8F_E4M3;
  case abi::ElementType::f8E5M2:
    return CUDA_R_8F_E5M2;
  case abi::ElementType::f16:
    return CUDA_R_16F;
  case abi::ElementType::bf16:
    return CUDA_R_16BF;
  case abi::ElementType::f32:
    return CUDA_R_32F;
  case abi::ElementType::f64:
    return CUDA_R_64F;
  default:
    return std::nullopt;
  }
}

/// Of an operand: [rows, columns] with their strides, as the library's a or b takes it.
std::optional<LtMatrix> matrixOf(cudaDataType_t type, int64_t rows, int64_t rowStride,
                                 int64_t columns, int64_t columnStride) {
  LtMatrix matrix;
  matrix.type = type;
  // Dense columns as they are; dense rows are the columns of the transpose. An extent of 1 has any stride.
  if (rowStride == 1 || rows == 1) {
    matrix.leading = columns == 1 ? std::max(rows, columnStride) : columnStride;
    if (matrix.leading >= rows)
      return matrix;
  }
  if (columnStride == 1 || columns == 1) {
    matrix.isTransposed = true;
    matrix.leading = rows == 1 ? std::max(columns, rowStride) : rowStride;
    if (matrix.leading >= columns)
      return matrix;
  }
  return std::nullopt;
}

/// What is left of `bytes`, an alignment, after steps of `stride` elements.
uint32_t aligned(uint32_t bytes, int64_t stride, int64_t elementBytes) {
  return static_cast<uint32_t>(std::gcd(static_cast<int64_t>(bytes), stride * elementBytes));
}

} // namespace

std::optional<ContractProblem> contractProblem(const ContractPlan &plan,
                                               const std::array<uint32_t, 3> &alignments,
                                               bool allowsTf32) {
  auto lhsType = floatType(plan.lhsType), rhsType = floatType(plan.rhsType),
       resultType = floatType(plan.resultType);
  if (!lhsType || !rhsType || !resultType || plan.k == 0)
    return std::nullopt;
  ContractProblem problem;
  LtProblem &product = problem.product;
  // The library's d is [m, n] with dense columns: the result when its columns are dense, else its transpose.
  problem.isSwapped = plan.resultStrideN == 1 || plan.n == 1;
  std::optional<LtMatrix> lhs, rhs, result;
  if (problem.isSwapped) {
    lhs = matrixOf(*lhsType, plan.k, plan.lhsStrideK, plan.m, plan.lhsStrideM);
    rhs = matrixOf(*rhsType, plan.n, plan.rhsStrideN, plan.k, plan.rhsStrideK);
    result = matrixOf(*resultType, plan.n, plan.resultStrideN, plan.m, plan.resultStrideM);
  } else {
    lhs = matrixOf(*lhsType, plan.m, plan.lhsStrideM, plan.k, plan.lhsStrideK);
    rhs = matrixOf(*rhsType, plan.k, plan.rhsStrideK, plan.n, plan.rhsStrideN);
    result = matrixOf(*resultType, plan.m, plan.resultStrideM, plan.n, plan.resultStrideN);
  }
  if (!lhs || !rhs || !result || result->isTransposed)
    return std::nullopt;
  problem.outer = plan.batch;
  if (!problem.outer.empty()) {
    const ContractPlan::BatchDim inner = problem.outer.back();
    problem.outer.pop_back();
    product.batch = inner.extent;
    lhs->batchStride = inner.lhsStride;
    rhs->batchStride = inner.rhsStride;
    result->batchStride = inner.resultStride;
  }
  LtMatrix *matrices[] = {&*lhs, &*rhs, &*result};
  const abi::ElementType types[] = {plan.lhsType, plan.rhsType, plan.resultType};
  for (size_t i = 0; i < 3; ++i) {
    int64_t bytes = abi::bytesOf(types[i]);
    matrices[i]->alignment = aligned(alignments[i], matrices[i]->batchStride, bytes);
    for (const ContractPlan::BatchDim &dim : problem.outer) {
      const int64_t strides[] = {dim.lhsStride, dim.rhsStride, dim.resultStride};
      matrices[i]->alignment = aligned(matrices[i]->alignment, strides[i], bytes);
    }
  }
  product.a = problem.isSwapped ? *rhs : *lhs;
  product.b = problem.isSwapped ? *lhs : *rhs;
  product.d = *result;
  product.m = problem.isSwapped ? plan.n : plan.m;
  product.n = problem.isSwapped ? plan.m : plan.n;
  product.k = plan.k;
  if (plan.lhsType == abi::ElementType::f64)
    product.compute = CUBLAS_COMPUTE_64F;
  else if (plan.lhsType == abi::ElementType::f32 && allowsTf32)
    product.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  return problem;
}

} // namespace sheaf::rt::cuda
