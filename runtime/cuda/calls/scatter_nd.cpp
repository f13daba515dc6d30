// The call `scatter_nd`: slices put at tuples of indices, one after the other.
#include "runtime/abi/calls.h"
#include "runtime/cuda/nd_index.h"
#include "runtime/cuda/scatter_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<NdIndexing> indexing = NdIndexing::ofScatter(site);
  if (!indexing.isOk())
    return indexing.takeStatus();
  int64_t elementBytes = site.outs[0].shape.elementBytes();
  Result<NdIndexParameters> index = toParameter(site, *indexing, site.ins[1].shape, elementBytes);
  if (!index.isOk())
    return index.takeStatus();
  StridedSpace<2> slice;
  slice.dims.push_back({indexing->sliceElements, {elementBytes, elementBytes}});
  CombineParameters parameters{.space = toParameter(std::move(slice)),
                               .slice = indexing->sliceElements,
                               .placeStep = 1,
                               .updateStep = indexing->sliceElements * elementBytes,
                               .kind = {}};
  Result<Elementwise> kernel =
      Elementwise::find(site, "scatter", "slice_targets", indexing->numTuples());
  if (!kernel.isOk())
    return kernel.takeStatus();
  auto find = [kernel = *kernel, index = *index](const SortLanes &sorted, const void *indices,
                                                 SortEntry *entries) {
    return kernel(sorted, index, indices, entries);
  };
  return bindScatter(site, {find, 1, indexing->numTuples(), index->fault}, parameters);
}

const RegisteredCall<bind>
    registered({.name = abi::calls::scatterNd, .minIns = 3, .maxIns = 3, .inPlaceIn = 0});

} // namespace
} // namespace sheaf::rt::cuda
