// The call `gather_nd`: slices of data chosen by tuples of indices.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/host/nd_index.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <cstring>

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<NdIndexing> made = NdIndexing::ofGather(site);
  if (!made.isOk())
    return made.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitIndex<BoundStep>(site.ins[1].shape.type, [&](auto tag) -> BoundStep {
    using Index = typename decltype(tag)::Type;
    int64_t elementBytes = out.elementBytes();
    return makeStep([plan = std::move(*made), elementBytes](void *const *buffers, std::byte *) {
      const auto *from = static_cast<const std::byte *>(buffers[0]);
      const auto *indices = static_cast<const Index *>(buffers[1]);
      auto *to = static_cast<std::byte *>(buffers[2]);
      int64_t sliceBytes = plan.sliceElements * elementBytes;
      IndexReader reader(0, plan.whole);
      parallelFor(0, plan.numTuples(), grainFor(2 * sliceBytes), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          if (int64_t element = sliceOf(plan, indices, i, reader); element >= 0)
            std::memcpy(to + i * sliceBytes, from + element * elementBytes,
                        static_cast<size_t>(sliceBytes));
      });
      return reader.finish();
    });
  });
}

const RegisteredCall registered({.name = abi::calls::gatherNd, .minIns = 2, .maxIns = 2}, bind);

} // namespace
} // namespace sheaf::rt::host
