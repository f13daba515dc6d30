// Describes matrix products to cuBLASLt and remembers how it computes them.
#include "runtime/cuda/lt_matmul.h"

namespace sheaf::rt::cuda {
namespace {

/// What steps may ask for beyond their buffers: what the library's fastest ways want on chips from sm_90 on.
constexpr size_t maxWorkspaceBytes = size_t(32) << 20;

/// Collects the first failure of several calls.
class Calls {
public:
  void operator()(cublasStatus_t error, const char *function) {
    if (first.isOk())
      first = statusOf(error, function);
  }
  Status first;
};

template <typename T>
void setAttribute(Calls &call, cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t which,
                  T value) {
  call(cublasLt().cublasLtMatmulDescSetAttribute(desc, which, &value, sizeof value),
       "cublasLtMatmulDescSetAttribute");
}

template <typename T>
void setAttribute(Calls &call, cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                  T value) {
  call(cublasLt().cublasLtMatrixLayoutSetAttribute(layout, which, &value, sizeof value),
       "cublasLtMatrixLayoutSetAttribute");
}

template <typename T>
void setAttribute(Calls &call, cublasLtMatmulPreference_t preference,
                  cublasLtMatmulPreferenceAttributes_t which, T value) {
  call(cublasLt().cublasLtMatmulPreferenceSetAttribute(preference, which, &value, sizeof value),
       "cublasLtMatmulPreferenceSetAttribute");
}

cudaDataType_t scaleType(const LtProblem &problem) {
  return problem.compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F;
}

/// Not a place in memory: only its alignment is looked at.
const void *anyPointer(uint32_t alignment) {
  return reinterpret_cast<const void *>(static_cast<uintptr_t>(alignment));
}

cublasLtMatrixLayout_t makeLayout(Calls &call, const LtMatrix &matrix, int64_t rows,
                                  int64_t columns, int64_t batch) {
  if (matrix.isTransposed)
    std::swap(rows, columns);
  cublasLtMatrixLayout_t layout = nullptr;
  call(cublasLt().cublasLtMatrixLayoutCreate(&layout, matrix.type, static_cast<uint64_t>(rows),
                                             static_cast<uint64_t>(columns), matrix.leading),
       "cublasLtMatrixLayoutCreate");
  if (!layout)
    return nullptr;
  setAttribute(call, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batch));
  setAttribute(call, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batchStride);
  return layout;
}

} // namespace

LtMatmul::LtMatmul(cublasLtHandle_t handle, const LtProblem &problem)
    : handle(handle), problem(problem), operation(nullptr, cublasLt().cublasLtMatmulDescDestroy),
      aLayout(nullptr, cublasLt().cublasLtMatrixLayoutDestroy),
      bLayout(nullptr, cublasLt().cublasLtMatrixLayoutDestroy),
      dLayout(nullptr, cublasLt().cublasLtMatrixLayoutDestroy) {}

Status LtMatmul::describe() {
  Calls call;
  cublasLtMatmulDesc_t desc = nullptr;
  call(cublasLt().cublasLtMatmulDescCreate(&desc, problem.compute, scaleType(problem)),
       "cublasLtMatmulDescCreate");
  operation.reset(desc);
  if (!desc)
    return std::move(call.first);
  auto way = [](const LtMatrix &matrix) {
    return static_cast<int32_t>(matrix.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  setAttribute(call, desc, CUBLASLT_MATMUL_DESC_TRANSA, way(problem.a));
  setAttribute(call, desc, CUBLASLT_MATMUL_DESC_TRANSB, way(problem.b));
  setAttribute(call, desc, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(problem.epilogue));
  if (problem.vectorAlignment)
    setAttribute(call, desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                 anyPointer(problem.vectorAlignment));
  if (problem.auxiliaryAlignment) {
    setAttribute(call, desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, problem.auxiliaryLeading);
    setAttribute(call, desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                 anyPointer(problem.auxiliaryAlignment));
  }
  if (problem.hasDeviceFactors)
    setAttribute(call, desc, CUBLASLT_MATMUL_DESC_POINTER_MODE,
                 static_cast<int32_t>(CUBLASLT_POINTER_MODE_DEVICE));
  aLayout.reset(makeLayout(call, problem.a, problem.m, problem.k, problem.batch));
  bLayout.reset(makeLayout(call, problem.b, problem.k, problem.n, problem.batch));
  dLayout.reset(makeLayout(call, problem.d, problem.m, problem.n, problem.batch));
  return std::move(call.first);
}

Status LtMatmul::run(const LtOperands &operands, double alpha, double beta, void *memory,
                     cudaStream_t queue) {
  Calls call;
  if (operands.vector)
    setAttribute(call, operation.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.vector);
  if (operands.auxiliary)
    setAttribute(call, operation.get(), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                 operands.auxiliary);
  // Without the attribute the library takes 1, and it refuses the attribute for wider types.
  if (operands.aScale)
    setAttribute(call, operation.get(), CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.aScale);
  if (operands.bScale)
    setAttribute(call, operation.get(), CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.bScale);
  auto narrowAlpha = static_cast<float>(alpha), narrowBeta = static_cast<float>(beta);
  bool isWide = problem.compute == CUBLAS_COMPUTE_64F;
  const void *scales[] = {isWide ? static_cast<const void *>(&alpha) : &narrowAlpha,
                          isWide ? static_cast<const void *>(&beta) : &narrowBeta};
  if (problem.hasDeviceFactors) {
    scales[0] = operands.factors;
    scales[1] = operands.factors + 1;
  }
  call(cublasLt().cublasLtMatmul(handle, operation.get(), scales[0], operands.a, aLayout.get(),
                                 operands.b, bLayout.get(), scales[1], operands.c, dLayout.get(),
                                 operands.d, dLayout.get(), &algorithm, memory, workspace, queue),
       "cublasLtMatmul");
  return std::move(call.first);
}

Result<std::unique_ptr<LtMatmuls>> LtMatmuls::create() {
  if (Status status = loadCublasLt(); !status.isOk())
    return status;
  std::unique_ptr<LtMatmuls> matmuls(new LtMatmuls());
  cublasStatus_t error = cublasLt().cublasLtCreate(&matmuls->handle);
  if (Status status = statusOf(error, "cublasLtCreate"); !status.isOk())
    return status;
  return matmuls;
}

LtMatmuls::~LtMatmuls() {
  if (handle)
    cublasLt().cublasLtDestroy(handle);
}

Result<LtMatmuls::Choice> LtMatmuls::choose(const LtMatmul &matmul) const {
  Calls call;
  cublasLtMatmulPreference_t preference = nullptr;
  call(cublasLt().cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  if (!preference)
    return std::move(call.first);
  const LtProblem &problem = matmul.problem;
  setAttribute(call, preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
               static_cast<uint64_t>(maxWorkspaceBytes));
  setAttribute(call, preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, problem.a.alignment);
  setAttribute(call, preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, problem.b.alignment);
  setAttribute(call, preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, problem.d.alignment);
  setAttribute(call, preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, problem.d.alignment);
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  if (call.first.isOk()) {
    // No way is an answer, not a failure.
    cublasStatus_t error = cublasLt().cublasLtMatmulAlgoGetHeuristic(
        matmul.handle, matmul.operation.get(), matmul.aLayout.get(), matmul.bLayout.get(),
        matmul.dLayout.get(), matmul.dLayout.get(), preference, 1, &found, &count);
    if (error != CUBLAS_STATUS_NOT_SUPPORTED && error != CUBLAS_STATUS_INVALID_VALUE)
      call(error, "cublasLtMatmulAlgoGetHeuristic");
  }
  cublasLt().cublasLtMatmulPreferenceDestroy(preference);
  if (!call.first.isOk())
    return std::move(call.first);
  bool exists = count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
  return Choice{exists, found.algo, exists ? found.workspaceSize : 0};
}

Result<std::unique_ptr<LtMatmul>> LtMatmuls::bind(const LtProblem &problem) {
  std::unique_ptr<LtMatmul> matmul(new LtMatmul(handle, problem));
  if (Status status = matmul->describe(); !status.isOk())
    return status;
  auto known = choices.find(problem);
  if (known == choices.end()) {
    Result<Choice> choice = choose(*matmul);
    if (!choice.isOk())
      return choice.takeStatus();
    known = choices.emplace(problem, *choice).first;
  }
  if (!known->second.exists)
    return std::unique_ptr<LtMatmul>();
  matmul->algorithm = known->second.algorithm;
  matmul->workspace = known->second.workspace;
  return matmul;
}

} // namespace sheaf::rt::cuda
