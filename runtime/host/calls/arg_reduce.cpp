// The call `arg_reduce`: where the largest or smallest element of each lane is.
#include "runtime/abi/calls.h"
#include "runtime/core/arg_reduce_plan.h"
#include "runtime/core/element.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

/// True when `value` should replace `best`: it is further out, or equal and the last one is wanted. NaN is furthest.
template <typename T> bool replaces(T value, T best, bool isMax, bool isLast) {
  if (isNan(best) || isNan(value))
    return isNan(value) && (isLast || !isNan(best));
  if (value == best)
    return isLast;
  return isMax ? value > best : value < best;
}

BoundStep bind(CallSite &site) {
  Result<ArgReducePlan> plan = ArgReducePlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitArithmetic<BoundStep>(in.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    return visitIndex<BoundStep>(out.type, [&](auto indexTag) -> BoundStep {
      using Index = typename decltype(indexTag)::Type;
      return makeStep([isMax = plan->isMax, isLast = plan->isLast,
                       lanes = Lanes<2>({&in, &plan->out}, plan->dim)](void *const *buffers,
                                                                       std::byte *) {
        int64_t laneBytes = lanes.extent(0) * static_cast<int64_t>(sizeof(T));
        lanes.forEach(laneBytes, [&](const std::array<int64_t, 2> &offsets) {
          const T *from = at<T>(buffers[0], offsets[0]);
          int64_t best = 0;
          for (int64_t i = 1; i < lanes.extent(0); ++i)
            if (replaces(from[i * lanes.stride(0)], from[best * lanes.stride(0)], isMax, isLast))
              best = i;
          *at<Index>(buffers[1], offsets[1]) = static_cast<Index>(best);
        });
      });
    });
  });
}

const RegisteredCall registered({.name = abi::calls::argReduce, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
