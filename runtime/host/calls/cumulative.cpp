// The call `cumulative`: running sums and products along one dim.
#include "runtime/abi/calls.h"
#include "runtime/core/cumulative_plan.h"
#include "runtime/core/element.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<CumulativePlan> plan = CumulativePlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitArithmetic<BoundStep>(in.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    using W = Wide<T>;
    return makeStep([plan = *plan, lanes = Lanes<2>({&in, &out}, plan->dim)](void *const *buffers,
                                                                             std::byte *) {
      int64_t extent = lanes.extent(0);
      int64_t inStep = plan.isReverse ? -lanes.stride(0) : lanes.stride(0);
      int64_t outStep = plan.isReverse ? -lanes.stride(1) : lanes.stride(1);
      int64_t laneBytes = extent * static_cast<int64_t>(2 * sizeof(T));
      lanes.forEach(laneBytes, [&](const std::array<int64_t, 2> &offsets) {
        const T *from =
            at<T>(buffers[0], offsets[0]) - (plan.isReverse ? (extent - 1) * inStep : 0);
        T *to = at<T>(buffers[1], offsets[1]) - (plan.isReverse ? (extent - 1) * outStep : 0);
        W running = plan.isSum ? W(0) : W(1);
        for (int64_t i = 0; i < extent; ++i) {
          W value = static_cast<W>(from[i * inStep]);
          W next = plan.isSum ? wrappingAdd(running, value) : wrappingMultiply(running, value);
          to[i * outStep] = static_cast<T>(plan.isExclusive ? running : next);
          running = next;
        }
      });
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::cumulative, .takesStrides = true, .inPlaceIn = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
