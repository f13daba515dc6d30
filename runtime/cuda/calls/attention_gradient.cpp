// The call `attention_gradient`, by cuDNN, or by two kernels for each type and width; of the weights only three numbers
// per query are in memory.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/cuda/attention_library_step.h"
#include "runtime/cuda/attention_step.h"
#include "runtime/cuda/kernel_step.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {
namespace {

/// The kernel of that side of the gradient.
Result<cudaKernel_t> findKernel(CudaCallSite &site, const char *side, int64_t width) {
  return site.device.embeddedKernel(
      "attention_gradient", std::string("attention_") + side + "_gradient_" +
                                abi::nameOf(site.ins[0].shape.type) + "_" + std::to_string(width));
}

AttentionGradientParameters parametersOf(const AttentionGradientPlan &plan,
                                         std::span<const Operand> tensors, int64_t numParts) {
  AttentionGradientParameters result{.attention = attentionParameters(plan.attention, tensors),
                                     .queryGradient = {},
                                     .keyGradient = {},
                                     .valueGradient = {},
                                     .numParts = numParts};
  std::copy_n(plan.queryGradient.begin(), 3, result.queryGradient);
  std::copy_n(plan.keyGradient.begin(), 3, result.keyGradient);
  std::copy_n(plan.valueGradient.begin(), 3, result.valueGradient);
  return result;
}

BoundStep bind(CudaCallSite &site) {
  Result<AttentionGradientPlan> gradients = AttentionGradientPlan::make(site);
  if (!gradients.isOk())
    return gradients.takeStatus();
  const AttentionPlan &plan = gradients->attention;
  abi::ElementType type = site.ins[0].shape.type;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitFloat<Status>(type, accept); !status.isOk())
    return status;
  if (std::ranges::all_of(site.outs, [](const Operand &out) { return out.shape.elements() == 0; }))
    return makeStep([](void *const *, std::byte *) {});
  if (BoundStep step = bindLibraryAttention(site, *gradients); !step.isOk() || *step)
    return step;
  int64_t columns = std::max(plan.depth, plan.valueDepth), width = attentionWidth(columns, 128);
  Result<cudaKernel_t> ofQueries = findKernel(site, "query", width);
  if (!ofQueries.isOk())
    return ofQueries.takeStatus();
  Result<cudaKernel_t> ofKeys = findKernel(site, "key", width);
  if (!ofKeys.isOk())
    return ofKeys.takeStatus();
  int64_t numParts = (columns + width - 1) / width;
  auto queryGrid = static_cast<unsigned>(plan.batch * plan.heads * numParts *
                                         numAttentionTiles(plan.queries, type)),
       keyGrid = static_cast<unsigned>(plan.batch * plan.groups * numParts *
                                       numAttentionTiles(plan.keys, type));
  int64_t statisticsBytes = type == abi::ElementType::f64 ? 3 * sizeof(double) : 3 * sizeof(float);
  return makeStep(
      [ofQueries = *ofQueries, ofKeys = *ofKeys, queryGrid, keyGrid, hasMask = plan.hasMask,
       parameters = parametersOf(*gradients, std::span(site.ins).first(4), numParts),
       threads = numAttentionThreads(type),
       queue = site.queue](void *const *buffers, std::byte *scratch) -> Status {
        const void *mask = hasMask ? buffers[4] : nullptr;
        void *const *outs = buffers + (hasMask ? 5 : 4);
        if (queryGrid > 0)
          if (Status status = launch(ofQueries, queryGrid, threads, queue, parameters, buffers[0],
                                     buffers[1], buffers[2], buffers[3], mask, outs[0], scratch);
              !status.isOk())
            return status;
        if (keyGrid == 0)
          return {};
        return launch(ofKeys, keyGrid, threads, queue, parameters, buffers[0], buffers[1],
                      buffers[2], buffers[3], mask, outs[1], outs[2], scratch);
      },
      static_cast<size_t>(plan.batch * plan.heads * plan.queries * statisticsBytes));
}

const RegisteredCall<bind> registered({.name = abi::calls::attentionGradient,
                                       .minIns = 4,
                                       .maxIns = 5,
                                       .numOuts = 3,
                                       .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
