// The call `copy`: strided to strided, any element type.
#include "runtime/abi/calls.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.type != out.type || in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(),
                           " must have equal types and dims");
  Result<StridedCopy> copy = makeStridedCopy(site, in, out);
  if (!copy.isOk())
    return copy.takeStatus();
  return makeStep([copy = std::move(*copy)](void *const *buffers, std::byte *) {
    return copy(buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::copy, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
