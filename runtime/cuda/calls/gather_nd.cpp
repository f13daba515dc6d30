// The call `gather_nd`: slices of data chosen by tuples of indices.
#include "runtime/abi/calls.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/nd_index.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<NdIndexing> indexing = NdIndexing::ofGather(site);
  if (!indexing.isOk())
    return indexing.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  Result<NdIndexParameters> parameters =
      toParameter(site, *indexing, site.ins[1].shape, out.elementBytes());
  if (!parameters.isOk())
    return parameters.takeStatus();
  int64_t count = out.elements(), slice = indexing->sliceElements;
  Result<Elementwise> kernel = Elementwise::find(
      site, "gather_elements", "gather_nd" + std::to_string(out.elementBytes()), count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeIndexStep(
      [kernel = *kernel, parameters = *parameters, count, slice](void *const *buffers,
                                                                 std::byte *) {
        return kernel(parameters, count, slice, buffers[0], buffers[1], buffers[2]);
      },
      parameters->fault);
}

const RegisteredCall<bind> registered({.name = abi::calls::gatherNd, .minIns = 2, .maxIns = 2});

} // namespace
} // namespace sheaf::rt::cuda
