// The call `gather`: slices of data along one dim, chosen by indices.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/gather_plan.h"
#include "runtime/host/index.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<GatherPlan> made = GatherPlan::make(site);
  if (!made.isOk())
    return made.takeStatus();
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitIndex<BoundStep>(site.ins[1].shape.type, [&](auto tag) -> BoundStep {
    using Index = typename decltype(tag)::Type;
    const BufferShape &after = made->after;
    StridedCopy slice(after, rowMajorShape(after.type, after.dims));
    int64_t sliceBytes = after.elements() * after.elementBytes();
    return makeStep([plan = std::move(*made), slice = std::move(slice),
                     sliceBytes](void *const *buffers, std::byte *) {
      const auto *data = static_cast<const std::byte *>(buffers[0]);
      const auto *indices = static_cast<const Index *>(buffers[1]);
      auto *out = static_cast<std::byte *>(buffers[2]);
      IndexReader reader(plan.extent, plan.whole);
      auto copySlices = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t outer = i / plan.numIndices, batch = outer / plan.numBefore;
          int64_t index = reader.read(indices[batch * plan.numIndices + i % plan.numIndices]);
          if (index < 0)
            continue;
          StridedCursor<1> cursor(plan.outer, outer);
          slice.run(data + cursor.offset(0) + index * plan.dimStep, out + i * sliceBytes);
        }
      };
      parallelFor(0, plan.outer.count() * plan.numIndices, grainFor(2 * sliceBytes), copySlices);
      return reader.finish();
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::gather, .minIns = 2, .maxIns = 2, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
