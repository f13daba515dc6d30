// NCCL, loaded at run time.
#ifndef SHEAF_RUNTIME_CUDA_NCCL_H
#define SHEAF_RUNTIME_CUDA_NCCL_H

#include "runtime/core/status.h"

#include <nccl.h>

namespace sheaf::rt::cuda {

/// The functions that are used, each once: as members of the table, and to fill it.
#define SHEAF_NCCL_FUNCTIONS(function)                                                             \
  function(ncclAllGather);                                                                         \
  function(ncclAllReduce);                                                                         \
  function(ncclCommAbort);                                                                         \
  function(ncclCommGetAsyncError);                                                                 \
  function(ncclCommInitRankConfig);                                                                \
  function(ncclCommSplit);                                                                         \
  function(ncclGetErrorString);                                                                    \
  function(ncclGetLastError);                                                                      \
  function(ncclGetUniqueId);                                                                       \
  function(ncclGroupEnd);                                                                          \
  function(ncclGroupStart);                                                                        \
  function(ncclRecv);                                                                              \
  function(ncclReduceScatter);                                                                     \
  function(ncclSend)

/// The functions that old versions lack: since 2.19.
#define SHEAF_NCCL_OPTIONAL_FUNCTIONS(function)                                                    \
  function(ncclCommDeregister);                                                                    \
  function(ncclCommRegister);                                                                      \
  function(ncclMemAlloc);                                                                          \
  function(ncclMemFree)

/// The functions of libnccl, as its header declares them; optional ones are null where they are missing.
struct Nccl {
#define SHEAF_DECLARE(name) decltype(::name) *name = nullptr
  SHEAF_NCCL_FUNCTIONS(SHEAF_DECLARE);
  SHEAF_NCCL_OPTIONAL_FUNCTIONS(SHEAF_DECLARE);
#undef SHEAF_DECLARE
};

/// Loads the library, once. Errors: it is missing, or of a version without some function.
Status loadNccl();

/// The loaded library: only after `loadNccl` was successful.
const Nccl &nccl();

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_NCCL_H
