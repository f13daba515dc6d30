// Copies, sorts and combines.
#include "runtime/cuda/scatter_step.h"

#include "runtime/core/scatter_rule.h"
#include "runtime/cuda/index_step.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {

BoundStep bindScatter(CudaCallSite &site, const ScatterTargets &targets,
                      CombineParameters parameters) {
  const BufferShape &data = site.ins[0].shape, &updates = site.ins[2].shape,
                    &out = site.outs[0].shape;
  Result<ScatterRule> rule = readScatterRule(site.params, out.type);
  if (!rule.isOk())
    return rule.takeStatus();
  parameters.kind = static_cast<ScatterKind>(rule->kind);
  Result<StridedCopy> copy = makeStridedCopy(site, data, out);
  if (!copy.isOk())
    return copy.takeStatus();
  bool isInPlace = site.isInPlace(0, 0);
  if (updates.elements() == 0)
    return makeStep([isInPlace, copy = *copy](void *const *buffers, std::byte *) {
      return isInPlace ? Status() : copy(buffers[0], buffers[3]);
    });
  Result<LaneSorter> sorter = LaneSorter::find(site, targets.numLanes, targets.updatesPerLane);
  if (!sorter.isOk())
    return sorter.takeStatus();
  Result<Elementwise> combine = Elementwise::find(
      site, "scatter", std::string("combine_") + abi::nameOf(rule->type), updates.elements());
  if (!combine.isOk())
    return combine.takeStatus();
  return makeIndexStep(
      [=, copy = *copy, sorter = *sorter, combine = *combine](void *const *buffers,
                                                              std::byte *scratch) -> Status {
        if (!isInPlace)
          if (Status status = copy(buffers[0], buffers[3]); !status.isOk())
            return status;
        return sorter.run(
            scratch,
            [&](const SortLanes &lanes, SortEntry *entries) {
              return targets.find(lanes, buffers[1], entries);
            },
            [&](const SortLanes &lanes, SortEntry *entries) {
              return combine(lanes, parameters, entries, buffers[2], buffers[3]);
            });
      },
      targets.fault, sorter->scratchBytes());
}

} // namespace sheaf::rt::cuda
