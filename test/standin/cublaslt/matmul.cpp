// libcublasLt: choosing an algorithm, and the product itself.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "test/standin/cublaslt/product.h"
#include "test/standin/cudart/state.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cublaslt;

/// Tells at the end of the process, where that is asked for.
struct NarrowCount : std::atomic<uint64_t> {
  ~NarrowCount() {
    if (load() != 0 && std::getenv("SHEAF_STANDIN_REPORT"))
      std::fprintf(stderr, "standin: %llu products of 8-bit floats\n",
                   static_cast<unsigned long long>(load()));
  }
};
static NarrowCount numNarrow;

/// What the one algorithm asks for, if it may.
constexpr uint64_t wantedWorkspaceBytes = 4096;

/// Of the device that the thread has chosen, as 90.
static int capability() {
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cudart::currentDevice());
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cudart::currentDevice());
  return 10 * major + minor;
}

static Product describe(cublasLtMatmulDesc_t descriptor, cublasLtMatrixLayout_t a,
                        cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                        cublasLtMatrixLayout_t d) {
  Product product;
  product.descriptor = *toDescriptor(descriptor);
  product.aLayout = *toLayout(a);
  product.bLayout = *toLayout(b);
  product.cLayout = *toLayout(c);
  product.dLayout = *toLayout(d);
  return product;
}

/// Whether there is no algorithm with this epilogue: with the environment variable SHEAF_STANDIN_NO_EPILOGUES those
/// that do more than add a bias. Which a GPU has, nothing tells but its heuristic.
static bool lacks(cublasLtEpilogue_t epilogue) {
  return std::getenv("SHEAF_STANDIN_NO_EPILOGUES") && epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
         epilogue != CUBLASLT_EPILOGUE_BIAS;
}

/// Of a pointer; one that is not known yet is taken for well aligned.
static uint32_t alignmentOf(const void *pointer) {
  const auto address = reinterpret_cast<uint64_t>(pointer) | 256;
  return static_cast<uint32_t>(address & (~address + 1));
}

/// What the algorithm has been chosen for, and no less.
static bool isAligned(const void *pointer, uint32_t alignment) {
  return reinterpret_cast<uint64_t>(pointer) % alignment == 0;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t handle, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *found) {
  *found = 0;
  if (wanted < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Product product = describe(descriptor, a, b, c, d);
  const cublasStatus_t status = product.check(capability());
  if (status != CUBLAS_STATUS_SUCCESS)
    return status;
  if (lacks(product.descriptor.epilogue))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto &preference = *reinterpret_cast<const Preference *>(handle);
  // Its kernels for FP8 want every pointer aligned to 16 bytes.
  if (product.isNarrow() &&
      std::ranges::any_of(preference.alignments, [](uint32_t bytes) { return bytes < 16; }))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  Algorithm algorithm{std::min(preference.maxWorkspaceBytes, wantedWorkspaceBytes),
                      {},
                      alignmentOf(product.descriptor.bias),
                      alignmentOf(product.descriptor.auxiliary)};
  std::ranges::copy(preference.alignments, algorithm.alignments);
  results[0] = {};
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = algorithm.workspaceBytes;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t aLayout, const void *b,
                              cublasLtMatrixLayout_t bLayout, const void *beta, const void *c,
                              cublasLtMatrixLayout_t cLayout, void *d,
                              cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *chosen,
                              void *workspace, size_t workspaceBytes, cudaStream_t streamHandle) {
  auto product =
      std::make_shared<Product>(describe(descriptor, aLayout, bLayout, cLayout, dLayout));
  if (cublasStatus_t status = product->check(capability()); status != CUBLAS_STATUS_SUCCESS)
    return status;
  // The heuristic does not mind, as it reads none of them.
  const MatmulDescriptor &operation = product->descriptor;
  if ((operation.usesVector() && !operation.bias) ||
      (operation.hasAuxiliary() && !operation.auxiliary))
    return CUBLAS_STATUS_INVALID_VALUE;
  product->a = a;
  product->b = b;
  product->c = c;
  product->d = d;
  auto scale = [&](const void *at) -> double {
    return product->descriptor.scaleType == CUDA_R_64F ? *static_cast<const double *>(at)
                                                       : *static_cast<const float *>(at);
  };
  const bool isOnDevice = product->descriptor.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  if (isOnDevice) {
    if (!alpha || !beta || product->descriptor.scaleType != CUDA_R_32F)
      return CUBLAS_STATUS_INVALID_VALUE;
    product->deviceFactors[0] = alpha;
    product->deviceFactors[1] = beta;
  } else {
    product->alpha = scale(alpha);
    product->beta = scale(beta);
  }
  if (chosen) {
    Algorithm algorithm;
    std::memcpy(&algorithm, chosen, sizeof algorithm);
    const void *pointers[] = {a, b, isOnDevice || product->beta != 0 ? c : d, d};
    for (size_t i = 0; i < 4; ++i)
      if (!isAligned(pointers[i], algorithm.alignments[i]))
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((operation.usesVector() && !isAligned(operation.bias, algorithm.vectorAlignment)) ||
        (operation.hasAuxiliary() && !isAligned(operation.auxiliary, algorithm.auxiliaryAlignment)))
      return CUBLAS_STATUS_INVALID_VALUE;
    if (workspaceBytes < algorithm.workspaceBytes)
      return CUBLAS_STATUS_INVALID_VALUE;
    product->workspace = workspace;
    product->workspaceBytes = algorithm.workspaceBytes;
  }
  Stream *stream = cudart::toStream(streamHandle);
  if (!stream)
    return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error = cudart::call([&] {
    return cudart::submit(*stream, Operation("matmul", [product](Execution &execution) {
      numNarrow += product->isNarrow();
      product->run(execution);
    }));
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
