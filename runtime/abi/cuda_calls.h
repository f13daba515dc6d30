// What GPUs take of calls.h and collectives.h: the compiler refuses the rest by node, before there is an executable.
#ifndef SHEAF_RUNTIME_ABI_CUDA_CALLS_H
#define SHEAF_RUNTIME_ABI_CUDA_CALLS_H

#include "runtime/abi/calls.h"
#include "runtime/abi/collectives.h"
#include "runtime/abi/element_type.h"

namespace sheaf::abi {

/// The calls that runtime/cuda/calls has, each once.
inline constexpr const char *cudaCalls[] = {calls::allGather,     calls::allReduce,
                                            calls::allToAll,      calls::argReduce,
                                            calls::attention,     calls::attentionGradient,
                                            calls::cast,          calls::contract,
                                            calls::conv,          calls::convFilterGradient,
                                            calls::convTranspose, calls::copy,
                                            calls::cumulative,    calls::fill,
                                            calls::gather,        calls::gatherElements,
                                            calls::gatherNd,      calls::permute,
                                            calls::pool,          calls::poolArgmax,
                                            calls::random,        calls::reduceScatter,
                                            calls::resize,        calls::scatterElements,
                                            calls::scatterNd,     calls::shardIndex,
                                            calls::shardSlice,    calls::sort,
                                            calls::topk,          calls::window};

/// The extent e of attention's v [b, g, t, e] at most.
inline constexpr int64_t cudaMaxAttentionDepth = 256;

/// Whether ranks on GPUs combine elements of this type: NCCL's arithmetic types.
inline constexpr bool cudaCombines(ElementType type) {
  switch (type) {
  case ElementType::i8:
  case ElementType::ui8:
  case ElementType::i32:
  case ElementType::ui32:
  case ElementType::i64:
  case ElementType::ui64:
  case ElementType::f16:
  case ElementType::bf16:
  case ElementType::f32:
  case ElementType::f64:
    return true;
  default:
    return false;
  }
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_CUDA_CALLS_H
