// Divides the work of a `contract` between cuBLASLt and kernels.
//
// What the library takes. From cublasLt.h: vectors along the rows of d, which are the result's columns only where that
// is row-major; the matrix that gelu is applied to with a leading dimension that is a multiple of 8. From
// tests of others on GPUs of the library of CUDA 13.0, where documentation is silent: BGRADA needs a that is not
// transposed, BGRADB b that is, and neither is scaled by alpha; both go with beta (as Transformer Engine uses them).
// And gelu of f32 has a tanh of some 11 bits, so here it is used only where f32 may be rounded to TF32.
#include "runtime/cuda/contract_epilogue.h"

namespace sheaf::rt::cuda {
namespace {

bool isInLibrary(Activation activation, const ContractParams &params, const ContractPlan &plan) {
  switch (activation) {
  case Activation::relu:
    return !params.keepsPreactivation;
  case Activation::geluTanh:
    return plan.resultType != abi::ElementType::f32 || params.allowsTf32;
  default:
    return false;
  }
}

/// It lies as the result.
bool takesAuxiliary(const ContractProblem &problem) {
  return problem.isSwapped && problem.product.d.leading % 8 == 0;
}

cublasLtEpilogue_t joined(cublasLtEpilogue_t kind, bool hasVector, cublasLtEpilogue_t withVector) {
  return hasVector ? withVector : kind;
}

/// With its activation.
ContractEpilogue ofActivation(const ContractParams &params, const ContractPlaces &places) {
  ContractEpilogue epilogue;
  epilogue.vector = places.bias;
  epilogue.product = places.result;
  bool hasBias = params.hasBias;
  if (params.activation == Activation::relu) {
    epilogue.kind = joined(CUBLASLT_EPILOGUE_RELU, hasBias, CUBLASLT_EPILOGUE_RELU_BIAS);
  } else if (params.keepsPreactivation) {
    epilogue.kind = joined(CUBLASLT_EPILOGUE_GELU_AUX, hasBias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    epilogue.auxiliary = places.preactivation;
  } else {
    epilogue.kind = joined(CUBLASLT_EPILOGUE_GELU, hasBias, CUBLASLT_EPILOGUE_GELU_BIAS);
  }
  return epilogue;
}

/// That sums up the operand, which is the library's a or b, where it has one.
std::optional<cublasLtEpilogue_t> sumOf(ContractSums sums, const ContractProblem &problem) {
  if (sums != ContractSums::lhs && sums != ContractSums::rhs)
    return std::nullopt;
  if ((sums == ContractSums::rhs) != problem.isSwapped)
    return problem.product.b.isTransposed ? std::optional(CUBLASLT_EPILOGUE_BGRADB) : std::nullopt;
  return problem.product.a.isTransposed ? std::nullopt : std::optional(CUBLASLT_EPILOGUE_BGRADA);
}

} // namespace

ContractEpilogue ContractEpilogue::least(const ContractParams &params,
                                         const ContractPlaces &places) {
  ContractEpilogue epilogue;
  epilogue.vector = places.bias;
  epilogue.product = places.result;
  if (params.hasBias)
    epilogue.kind = CUBLASLT_EPILOGUE_BIAS;
  if (params.keepsPreactivation)
    epilogue.product = *places.preactivation;
  epilogue.rest = {params.activation, params.derivative != Activation::none, params.sums};
  return epilogue;
}

ContractEpilogue ContractEpilogue::whole(const ContractParams &params, const ContractPlan &plan,
                                         const ContractProblem &problem,
                                         const ContractPlaces &places) {
  ContractEpilogue epilogue = least(params, places);
  if (isInLibrary(params.activation, params, plan) &&
      (!params.keepsPreactivation || takesAuxiliary(problem)))
    return ofActivation(params, places);
  if (isInLibrary(params.derivative, params, plan) && takesAuxiliary(problem)) {
    bool hasSums = params.sums == ContractSums::result;
    epilogue.kind = joined(CUBLASLT_EPILOGUE_DGELU, hasSums, CUBLASLT_EPILOGUE_DGELU_BGRAD);
    epilogue.vector = places.sums;
    epilogue.auxiliary = places.preactivation;
    epilogue.rest = {};
  } else if (auto kind = sumOf(params.sums, problem)) {
    epilogue.kind = *kind;
    epilogue.vector = places.sums;
    epilogue.rest.sums = ContractSums::none;
  }
  return epilogue;
}

} // namespace sheaf::rt::cuda
