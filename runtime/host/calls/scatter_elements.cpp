// The call `scatter_elements`: single elements along one dim, at indices of the updates' shape.
#include "runtime/abi/calls.h"
#include "runtime/core/element_index_plan.h"
#include "runtime/host/combine.h"
#include "runtime/host/index.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<ElementIndexPlan> plan = ElementIndexPlan::ofScatter(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &updates = site.ins[2].shape, &out = site.outs[0].shape;
  Result<Combine> combine = readCombine(site.params, out.type);
  if (!combine.isOk())
    return combine.takeStatus();
  bool isInPlace = site.isInPlace(0, 0);
  return visitIndex<BoundStep>(indices.type, [&](auto indexTag) -> BoundStep {
    using Index = typename decltype(indexTag)::Type;
    bool isEmpty = updates.elements() == 0;
    return makeStep([isInPlace, isEmpty, combine = *combine, whole = plan->whole,
                     elementBytes = out.elementBytes(), copy = StridedCopy(data, out),
                     lanes = Lanes<3>({&plan->indexed, &indices, &updates}, plan->dim)](
                        void *const *buffers, std::byte *) {
      if (!isInPlace)
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[3]));
      if (isEmpty)
        return Status();
      IndexReader reader(lanes.extent(0), whole);
      int64_t laneBytes =
          lanes.extent(2) * (3 * elementBytes + static_cast<int64_t>(sizeof(Index)));
      // Two lanes never meet: they differ in another dim.
      lanes.forEach(laneBytes, [&](const std::array<int64_t, 3> &offsets) {
        std::byte *to = at<std::byte>(buffers[3], offsets[0]);
        const Index *index = at<Index>(buffers[1], offsets[1]);
        const std::byte *update = at<std::byte>(buffers[2], offsets[2]);
        for (int64_t i = 0; i < lanes.extent(2); ++i) {
          int64_t place = reader.read(index[i * lanes.stride(1)]);
          if (place < 0)
            continue;
          combine(to + place * lanes.stride(0) * elementBytes,
                  update + i * lanes.stride(2) * elementBytes, 1);
        }
      });
      return reader.finish();
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::scatterElements, .minIns = 3, .maxIns = 3, .inPlaceIn = 0},
               bind);

} // namespace
} // namespace sheaf::rt::host
