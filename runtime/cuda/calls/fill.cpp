// The call `fill`: one value everywhere.
#include "runtime/abi/calls.h"
#include "runtime/core/convert.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  bool isInteger = site.params.has("value_int");
  if (isInteger && site.params.has("value"))
    return Status::invalid("it has both value and value_int");
  ExactNumber number = isInteger ? ExactNumber::fromInteger(site.params.integer("value_int", 0))
                                 : ExactNumber::fromDouble(site.params.number("value", 0));
  uint64_t bits = 0; // The kernel takes the low ones.
  writeElement(out.type, number, !isInteger, &bits, {});
  Strided<1> space = toParameter(stridedSpace<1>({&out}));
  Result<Elementwise> kernel =
      Elementwise::find(site, "copy", "fill" + std::to_string(out.elementBytes()), space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, space, bits](void *const *buffers, std::byte *) {
    return kernel(space, bits, buffers[0]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::fill, .minIns = 0, .maxIns = 0, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
