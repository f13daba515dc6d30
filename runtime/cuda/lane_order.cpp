// Sorts the lanes of a tensor and takes their first elements.
#include "runtime/cuda/lane_order.h"

#include "runtime/core/element.h"
#include "runtime/cuda/index_step.h"
#include "runtime/cuda/lane_sorter.h"

namespace sheaf::rt::cuda {

BoundStep bindLaneOrder(CudaCallSite &site, const SortPlan &plan) {
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitArithmetic<Status>(in.type, accept); !status.isOk())
    return status;
  Result<IntegerType> index = indexType(indices);
  if (!index.isOk())
    return index.takeStatus();
  if (values.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  Strided<3> space = toParameter(stridedSpace<3>({&in, &values, &indices}, plan.dim));
  auto stepOf = [&](const BufferShape &shape) {
    return shape.strides[plan.dim] * shape.elementBytes();
  };
  SortOutputs outputs{values.dims[plan.dim], stepOf(in), stepOf(values), stepOf(indices), *index};
  Result<LaneSorter> sorter = LaneSorter::find(site, space.count, in.dims[plan.dim]);
  if (!sorter.isOk())
    return sorter.takeStatus();
  Result<Elementwise> entries = Elementwise::find(
      site, "sort", std::string("entries_") + abi::nameOf(in.type), sorter->maxEntries());
  if (!entries.isOk())
    return entries.takeStatus();
  Result<Elementwise> take = Elementwise::find(
      site, "sort", "take" + std::to_string(in.elementBytes()), values.elements());
  if (!take.isOk())
    return take.takeStatus();
  uint64_t flip = plan.isDescending ? UINT64_MAX : 0;
  return makeStep(
      [=, sorter = *sorter, makeEntries = *entries, take = *take](void *const *buffers,
                                                                  std::byte *scratch) {
        return sorter.run(
            scratch,
            [&](const SortLanes &lanes, SortEntry *entries) {
              return makeEntries(lanes, space, outputs.inStep, flip, buffers[0], entries);
            },
            [&](const SortLanes &lanes, SortEntry *entries) {
              return take(lanes, space, outputs, entries, buffers[0], buffers[1], buffers[2]);
            });
      },
      sorter->scratchBytes());
}

} // namespace sheaf::rt::cuda
