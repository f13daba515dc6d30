// The call `scatter_nd`: slices put at tuples of indices, one after the other.
#include "runtime/abi/calls.h"
#include "runtime/host/combine.h"
#include "runtime/host/nd_index.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<NdIndexing> made = NdIndexing::ofScatter(site);
  if (!made.isOk())
    return made.takeStatus();
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &updates = site.ins[2].shape, &out = site.outs[0].shape;
  bool isInPlace = site.isInPlace(0, 0), isEmpty = updates.elements() == 0;
  Result<Combine> combine = readCombine(site.params, out.type);
  if (!combine.isOk())
    return combine.takeStatus();
  return visitIndex<BoundStep>(indices.type, [&](auto indexTag) -> BoundStep {
    using Index = typename decltype(indexTag)::Type;
    return makeStep([isInPlace, isEmpty, combine = *combine, elementBytes = out.elementBytes(),
                     plan = *made,
                     copy = StridedCopy(data, out)](void *const *buffers, std::byte *) {
      if (!isInPlace)
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[3]));
      if (isEmpty)
        return Status();
      const auto *indices = static_cast<const Index *>(buffers[1]);
      const auto *updates = static_cast<const std::byte *>(buffers[2]);
      auto *out = static_cast<std::byte *>(buffers[3]);
      IndexReader reader(0, plan.whole);
      // Threads share the slices, not the tuples: two tuples may name one slice, and then their order counts.
      int64_t bytesPerElement = plan.numTuples() * 3 * elementBytes;
      parallelFor(0, plan.sliceElements, grainFor(bytesPerElement),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t tuple = 0; tuple < plan.numTuples(); ++tuple) {
                      int64_t slice = sliceOf(plan, indices, tuple, reader);
                      if (slice < 0)
                        continue;
                      int64_t from = tuple * plan.sliceElements + begin;
                      combine(out + (slice + begin) * elementBytes, updates + from * elementBytes,
                              end - begin);
                    }
                  });
      return reader.finish();
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::scatterNd, .minIns = 3, .maxIns = 3, .inPlaceIn = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
