// Sees attention as a problem that a library takes.
#ifndef SHEAF_RUNTIME_CUDA_ATTENTION_PROBLEM_H
#define SHEAF_RUNTIME_CUDA_ATTENTION_PROBLEM_H

#include "runtime/core/attention_plan.h"
#include "runtime/cuda/library_attention.h"

#include <span>

namespace sheaf::rt::cuda {

/// None when libraries take no such attention on a GPU of that `chip` (90 for compute capability 9.0), or are not to be
/// trusted with it. `tensors` are those of heads, read or written.
std::optional<AttentionProblem> attentionProblem(const AttentionPlan &plan, int chip,
                                                 std::span<const Operand> tensors);

/// The same for its gradients.
std::optional<AttentionProblem> attentionProblem(const AttentionGradientPlan &plan, int chip,
                                                 std::span<const Operand> tensors);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ATTENTION_PROBLEM_H
