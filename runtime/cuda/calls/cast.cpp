// The call `cast`: every element type to every other.
#include "runtime/abi/calls.h"
#include "runtime/core/cast_rules.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<CastRules> rules = readCast(site);
  if (!rules.isOk())
    return rules.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  Strided<2> space = toParameter(stridedSpace<2>({&in, &out}));
  Result<Elementwise> kernel = Elementwise::find(site, "cast", "cast", space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, space, from = ElementFormat::of(in.type),
                   to = ElementFormat::of(out.type),
                   rules = *rules](void *const *buffers, std::byte *) {
    return kernel(space, from, to, rules, buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::cast, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
