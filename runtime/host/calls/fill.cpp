// The call `fill`: one value everywhere.
#include "runtime/abi/calls.h"
#include "runtime/core/fill_plan.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  Result<uint64_t> element = readFillElement(site);
  if (!element.isOk())
    return element.takeStatus();
  BufferShape repeated{out.type, out.dims, std::vector<int64_t>(out.rank(), 0)};
  return makeStep([element = *element, copy = StridedCopy(repeated, out)](void *const *buffers,
                                                                          std::byte *) {
    copy.run(reinterpret_cast<const std::byte *>(&element), static_cast<std::byte *>(buffers[0]));
  });
}

const RegisteredCall
    registered({.name = abi::calls::fill, .minIns = 0, .maxIns = 0, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
