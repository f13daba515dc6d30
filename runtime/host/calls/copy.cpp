// The call `copy`: strided to strided, any element type.
#include "runtime/abi/calls.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.type != out.type || in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(),
                           " must have equal types and dims");
  return makeStep([copy = StridedCopy(in, out)](void *const *buffers, std::byte *) {
    copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
  });
}

const RegisteredCall registered({.name = abi::calls::copy, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
