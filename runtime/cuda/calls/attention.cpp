// The call `attention`, by a kernel for each type and width of the result; no scores in memory.
#include "runtime/abi/cuda_calls.h"
#include "runtime/core/attention_plan.h"
#include "runtime/core/element.h"
#include "runtime/cuda/kernel_step.h"
#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {
namespace {

/// The columns that a kernel keeps sums of; 0 when there is none for so many.
int64_t widthFor(int64_t valueDepth) {
  for (int64_t width : {int64_t(64), int64_t(128), abi::cudaMaxAttentionDepth})
    if (valueDepth <= width)
      return width;
  return 0;
}

/// Whether each row of `operand` begins at, and is a multiple of, what a kernel loads at once.
bool isAligned(const Operand &operand) {
  constexpr int64_t bytes = 16;
  const BufferShape &shape = operand.shape;
  int64_t size = shape.elementBytes();
  bool isFit = operand.offset % bytes == 0 && shape.dims[3] * size % bytes == 0;
  for (size_t dim = 0; dim < 3; ++dim)
    isFit &= shape.dims[dim] <= 1 || shape.strides[dim] * size % bytes == 0;
  return isFit;
}

AttentionParameters parametersOf(const AttentionPlan &plan) {
  AttentionParameters result{.heads = plan.heads,
                             .groups = plan.groups,
                             .queries = plan.queries,
                             .keys = plan.keys,
                             .depth = plan.depth,
                             .valueDepth = plan.valueDepth,
                             .query = {},
                             .key = {},
                             .value = {},
                             .result = {},
                             .mask = {},
                             .scale = plan.scale,
                             .isCausal = plan.isCausal,
                             .hasMask = plan.hasMask,
                             .isMaskWide = plan.isMaskWide,
                             .isAligned = false};
  std::copy_n(plan.query.begin(), 3, result.query);
  std::copy_n(plan.key.begin(), 3, result.key);
  std::copy_n(plan.value.begin(), 3, result.value);
  std::copy_n(plan.result.begin(), 3, result.result);
  std::copy_n(plan.mask.begin(), 4, result.mask);
  return result;
}

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
  int64_t width = widthFor(plan->valueDepth);
  if (width == 0)
    return Status::invalid("v ", site.ins[2].shape.str(), " has heads of ", plan->valueDepth,
                           "; a GPU takes up to ", abi::cudaMaxAttentionDepth);
  Result<cudaKernel_t> kernel = site.device.embeddedKernel(
      "attention", std::string("attention_") + abi::nameOf(out.type) + "_" + std::to_string(width));
  if (!kernel.isOk())
    return kernel.takeStatus();
  AttentionParameters parameters = parametersOf(*plan);
  parameters.isAligned = isAligned(site.ins[0]) && isAligned(site.ins[1]) && isAligned(site.ins[2]);
  int64_t tile = attentionTile(out.type == abi::ElementType::f64);
  int64_t numTiles = (plan->queries + tile - 1) / tile;
  auto grid = static_cast<unsigned>(plan->batch * plan->heads * numTiles);
  return makeStep([kernel = *kernel, grid, parameters, hasMask = plan->hasMask,
                   queue = site.queue](void *const *buffers, std::byte *) {
    const void *mask = hasMask ? buffers[3] : nullptr;
    return launch(kernel, grid, attentionSide * attentionSide, queue, parameters, buffers[0],
                  buffers[1], buffers[2], mask, buffers[hasMask ? 4 : 3]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::attention, .minIns = 3, .maxIns = 4, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
