// Gives attention to cuDNN where it takes it.
#include "runtime/cuda/attention_library_step.h"

#include "runtime/cuda/attention_problem.h"

namespace sheaf::rt::cuda {
namespace {

template <typename Plan> BoundStep bind(CudaCallSite &site, const Plan &plan) {
  std::vector<Operand> tensors = site.ins;
  tensors.insert(tensors.end(), site.outs.begin(), site.outs.end());
  std::optional<AttentionProblem> problem =
      attentionProblem(plan, site.device.capability(), tensors);
  LibraryAttentions *library = problem ? site.device.attentions(site.queue) : nullptr;
  if (!library)
    return std::unique_ptr<Step>();
  Result<std::shared_ptr<const LibraryAttention>> attention = library->bind(*problem);
  if (!attention.isOk())
    return attention.takeStatus();
  if (!*attention)
    return std::unique_ptr<Step>();
  size_t scratchBytes = (*attention)->scratchBytes();
  return makeStep(
      [attention = std::move(*attention)](void *const *buffers, std::byte *scratch) {
        return attention->run(buffers, scratch);
      },
      scratchBytes);
}

} // namespace

BoundStep bindLibraryAttention(CudaCallSite &site, const AttentionPlan &plan) {
  return bind(site, plan);
}

BoundStep bindLibraryAttention(CudaCallSite &site, const AttentionGradientPlan &plan) {
  return bind(site, plan);
}

} // namespace sheaf::rt::cuda
