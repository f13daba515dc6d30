// The call `attention`, by cuDNN, or by a kernel for each type and width of the result; no scores in memory.
#include "runtime/abi/cuda_calls.h"
#include "runtime/core/element.h"
#include "runtime/cuda/attention_library_step.h"
#include "runtime/cuda/attention_step.h"
#include "runtime/cuda/kernel_step.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<AttentionPlan> plan = AttentionPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitFloat<Status>(out.type, accept); !status.isOk())
    return status;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  if (BoundStep step = bindLibraryAttention(site, *plan); !step.isOk() || *step)
    return step;
  int64_t width = attentionWidth(plan->valueDepth, abi::cudaMaxAttentionDepth);
  if (width < plan->valueDepth)
    return Status::invalid("v ", site.ins[2].shape.str(), " has heads of ", plan->valueDepth,
                           "; a GPU takes up to ", width);
  Result<cudaKernel_t> kernel = site.device.embeddedKernel(
      "attention", std::string("attention_") + abi::nameOf(out.type) + "_" + std::to_string(width));
  if (!kernel.isOk())
    return kernel.takeStatus();
  AttentionParameters parameters = attentionParameters(*plan, std::span(site.ins).first(3));
  auto grid =
      static_cast<unsigned>(plan->batch * plan->heads * numAttentionTiles(plan->queries, out.type));
  return makeStep([kernel = *kernel, grid, threads = numAttentionThreads(out.type), parameters,
                   hasMask = plan->hasMask, queue = site.queue](void *const *buffers, std::byte *) {
    const void *mask = hasMask ? buffers[3] : nullptr;
    return launch(kernel, grid, threads, queue, parameters, buffers[0], buffers[1], buffers[2],
                  mask, buffers[hasMask ? 4 : 3]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::attention, .minIns = 3, .maxIns = 4, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
