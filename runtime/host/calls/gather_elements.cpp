// The call `gather_elements`: single elements along one dim, chosen by indices of the result's shape.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/element_index_plan.h"
#include "runtime/host/index.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<ElementIndexPlan> plan = ElementIndexPlan::ofGather(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &data = plan->indexed, &indices = site.ins[1].shape, &out = site.outs[0].shape;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitStorage<BoundStep>(data.type, [&](auto typeTag) -> BoundStep {
    using T = typename decltype(typeTag)::Type;
    return visitIndex<BoundStep>(indices.type, [&](auto indexTag) -> BoundStep {
      using Index = typename decltype(indexTag)::Type;
      return makeStep([whole = plan->whole, lanes = Lanes<3>({&data, &indices, &out}, plan->dim)](
                          void *const *buffers, std::byte *) {
        IndexReader reader(lanes.extent(0), whole);
        int64_t laneBytes = lanes.extent(2) * static_cast<int64_t>(2 * sizeof(T) + sizeof(Index));
        lanes.forEach(laneBytes, [&](const std::array<int64_t, 3> &offsets) {
          const T *from = at<T>(buffers[0], offsets[0]);
          const Index *index = at<Index>(buffers[1], offsets[1]);
          T *to = at<T>(buffers[2], offsets[2]);
          for (int64_t i = 0; i < lanes.extent(2); ++i)
            if (int64_t place = reader.read(index[i * lanes.stride(1)]); place >= 0)
              to[i * lanes.stride(2)] = from[place * lanes.stride(0)];
        });
        return reader.finish();
      });
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::gatherElements, .minIns = 2, .maxIns = 2, .takesStrides = true},
               bind);

} // namespace
} // namespace sheaf::rt::host
