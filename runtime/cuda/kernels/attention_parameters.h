// What the host gives to the kernels of `attention` and `attention_gradient`.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Of a block whose elements have 32 or 64 bits: the side of its square of threads.
inline constexpr int attentionSide = 16;

/// Of a block whose elements have 16 bits: 4 warps.
inline constexpr int attentionMatrixThreads = 128;

/// The queries of a tile, as many as its keys: 64, but 32 where sums are f64.
constexpr int attentionTile(bool isWide) { return isWide ? 32 : 64; }

/// As runtime/core/attention_plan.h has it; strides in elements.
struct AttentionParameters {
  int64_t heads, groups, queries, keys, depth, valueDepth;
  int64_t query[3], key[3], value[3], result[3]; ///< of batch, head and place
  int64_t mask[4];
  double scale, softcap;
  bool isCausal, hasMask, isMaskWide;
  bool isAligned; ///< Rows of tensors that are read begin at 16 bytes and have a multiple of them.
};

/// The result of `attention` stands for its gradient.
struct AttentionGradientParameters {
  AttentionParameters attention;
  int64_t queryGradient[3], keyGradient[3], valueGradient[3]; ///< of batch, head and place
  int64_t numParts; ///< of the columns of the gradients: a block sums a kernel's width of them
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ATTENTION_PARAMETERS_H
