// The call `fill`: one value everywhere.
#include "runtime/abi/calls.h"
#include "runtime/core/fill_plan.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  Result<uint64_t> element = readFillElement(site);
  if (!element.isOk())
    return element.takeStatus();
  Strided<1> space = toParameter(stridedSpace<1>({&out}));
  Result<Elementwise> kernel =
      Elementwise::find(site, "copy", "fill" + std::to_string(out.elementBytes()), space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, space, element = *element](void *const *buffers, std::byte *) {
    return kernel(space, element, buffers[0]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::fill, .minIns = 0, .maxIns = 0, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
