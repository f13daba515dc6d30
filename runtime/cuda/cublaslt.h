// cuBLASLt, loaded at run time.
#ifndef SHEAF_RUNTIME_CUDA_CUBLASLT_H
#define SHEAF_RUNTIME_CUDA_CUBLASLT_H

#include "runtime/core/status.h"

#include <cublasLt.h>

namespace sheaf::rt::cuda {

/// The functions that are used, each once: as members of the table, and to fill it.
#define SHEAF_CUBLASLT_FUNCTIONS(function)                                                         \
  function(cublasLtCreate);                                                                        \
  function(cublasLtDestroy);                                                                       \
  function(cublasLtGetStatusString);                                                               \
  function(cublasLtMatmul);                                                                        \
  function(cublasLtMatmulAlgoGetHeuristic);                                                        \
  function(cublasLtMatmulDescCreate);                                                              \
  function(cublasLtMatmulDescDestroy);                                                             \
  function(cublasLtMatmulDescSetAttribute);                                                        \
  function(cublasLtMatmulPreferenceCreate);                                                        \
  function(cublasLtMatmulPreferenceDestroy);                                                       \
  function(cublasLtMatmulPreferenceSetAttribute);                                                  \
  function(cublasLtMatrixLayoutCreate);                                                            \
  function(cublasLtMatrixLayoutDestroy);                                                           \
  function(cublasLtMatrixLayoutSetAttribute)

/// The functions of libcublasLt, as its header declares them.
struct CublasLt {
#define SHEAF_DECLARE(name) decltype(::name) *name = nullptr
  SHEAF_CUBLASLT_FUNCTIONS(SHEAF_DECLARE);
#undef SHEAF_DECLARE
};

/// Loads the library, once. Errors: it is missing, or of a version without some function.
Status loadCublasLt();

/// The loaded library: only after `loadCublasLt` was successful.
const CublasLt &cublasLt();

/// Success, or what failed.
Status statusOf(cublasStatus_t error, const char *function);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUBLASLT_H
