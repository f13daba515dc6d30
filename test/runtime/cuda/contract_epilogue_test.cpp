// What of a `contract` cuBLASLt is asked for.
#include "runtime/cuda/contract_epilogue.h"

#include "runtime/abi/contract_strides.h"

#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

/// The epilogue that the library is asked for first.
cublasLtEpilogue_t wholeEpilogue(ContractParams params, abi::ElementType type,
                                 std::vector<int64_t> lhsDims, std::vector<int64_t> rhsDims,
                                 std::vector<int64_t> lhsContract,
                                 std::vector<int64_t> rhsContract) {
  params.lhsContract = std::move(lhsContract);
  params.rhsContract = std::move(rhsContract);
  auto shape = [&](std::vector<int64_t> dims) {
    return BufferShape{type, dims, abi::rowMajorStrides(dims)};
  };
  BufferShape lhs = shape(lhsDims), rhs = shape(rhsDims);
  ContractPlan plan =
      *ContractPlan::make(params, lhs, rhs, shape(*ContractPlan::resultDims(params, lhs, rhs)));
  auto problem = cuda::contractProblem(plan, {256, 256, 256}, params.allowsTf32);
  cuda::ContractPlaces places;
  places.preactivation = 3;
  places.sums = 4;
  return cuda::ContractEpilogue::whole(params, plan, *problem, places).kind;
}

TEST(ContractEpilogue, IsWhatTheLibraryTakes) {
  constexpr auto bf16 = abi::ElementType::bf16, f32 = abi::ElementType::f32;
  ContractParams rhsSums, lhsSums, kept, exact, gradient, both;
  rhsSums.sums = ContractSums::rhs;
  lhsSums.sums = ContractSums::lhs;
  kept.keepsPreactivation = exact.keepsPreactivation = true;
  kept.activation = gradient.derivative = both.derivative = Activation::geluTanh;
  exact.activation = Activation::geluErf;
  both.sums = ContractSums::result;
  // Gradients of weights [in, out] and [out, in], of rows [tokens, in] and [tokens, out].
  EXPECT_EQ(wholeEpilogue(rhsSums, bf16, {32, 5}, {32, 7}, {0}, {0}), CUBLASLT_EPILOGUE_BGRADA);
  EXPECT_EQ(wholeEpilogue(lhsSums, bf16, {32, 7}, {32, 5}, {0}, {0}), CUBLASLT_EPILOGUE_BGRADB);
  EXPECT_EQ(wholeEpilogue(rhsSums, bf16, {5, 32}, {7, 32}, {1}, {1}), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(wholeEpilogue(lhsSums, bf16, {7, 32}, {5, 32}, {1}, {1}), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(wholeEpilogue(kept, bf16, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_GELU_AUX);
  EXPECT_EQ(wholeEpilogue(gradient, bf16, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_DGELU);
  EXPECT_EQ(wholeEpilogue(both, bf16, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_DGELU_BGRAD);
  kept.hasBias = true;
  EXPECT_EQ(wholeEpilogue(kept, bf16, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  // No multiple of 8 columns; an activation that it has not; f32 that must not be rounded.
  EXPECT_EQ(wholeEpilogue(kept, bf16, {5, 4}, {4, 12}, {1}, {0}), CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(wholeEpilogue(gradient, bf16, {5, 4}, {4, 12}, {1}, {0}), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(wholeEpilogue(exact, bf16, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(wholeEpilogue(gradient, f32, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_DEFAULT);
  gradient.allowsTf32 = true;
  EXPECT_EQ(wholeEpilogue(gradient, f32, {5, 4}, {4, 16}, {1}, {0}), CUBLASLT_EPILOGUE_DGELU);
}

} // namespace
} // namespace sheaf::rt::test
