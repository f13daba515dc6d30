// What the host gives to the kernels of `attention`.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Of a block: the side of its square of threads, and the keys of a chunk of a dot product.
inline constexpr int attentionSide = 16;

/// The queries of a tile, as many as its keys: 64, but 32 where sums are f64.
constexpr int attentionTile(bool isWide) { return isWide ? 32 : 64; }

/// As runtime/core/attention_plan.h has it; strides in elements.
struct AttentionParameters {
  int64_t heads, groups, queries, keys, depth, valueDepth;
  int64_t query[3], key[3], value[3], result[3]; ///< of batch, head and place
  int64_t mask[4];
  double scale;
  bool isCausal, hasMask, isMaskWide;
  bool isAligned; ///< Rows of q, k and v begin at 16 bytes and have a multiple of them.
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H
