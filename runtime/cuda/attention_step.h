// What binds the calls of attention to their kernels.
#ifndef SHEAF_RUNTIME_CUDA_ATTENTION_STEP_H
#define SHEAF_RUNTIME_CUDA_ATTENTION_STEP_H

#include "runtime/core/attention_plan.h"
#include "runtime/cuda/kernels/attention_parameters.h"

#include <span>

namespace sheaf::rt::cuda {

/// The columns that a kernel for tensors of `columns` keeps sums of: 64 or twice that, up to `most`.
int64_t attentionWidth(int64_t columns, int64_t most);

/// The plan, for kernels that read `tensors` of heads.
AttentionParameters attentionParameters(const AttentionPlan &plan,
                                        std::span<const Operand> tensors);

/// The tiles that so many queries, or keys, of elements `type` are cut into.
int64_t numAttentionTiles(int64_t rows, abi::ElementType type);

/// Of a block of the kernels for elements `type`.
unsigned numAttentionThreads(abi::ElementType type);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ATTENTION_STEP_H
