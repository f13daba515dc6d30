// The call `fill`: one value everywhere.
#include "runtime/abi/calls.h"
#include "runtime/core/convert.h"
#include "runtime/core/element.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

#include <array>
#include <cstring>

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  bool isInteger = site.params.has("value_int");
  if (isInteger && site.params.has("value"))
    return Status::invalid("it has both value and value_int");
  ExactNumber number = isInteger ? ExactNumber::fromInteger(site.params.integer("value_int", 0))
                                 : ExactNumber::fromDouble(site.params.number("value", 0));
  std::array<std::byte, 8> element{};
  writeElement(out.type, number, !isInteger, element.data(), {});
  BufferShape repeated{out.type, out.dims, std::vector<int64_t>(out.rank(), 0)};
  return makeStep([element, copy = StridedCopy(repeated, out)](void *const *buffers, std::byte *) {
    copy.run(element.data(), static_cast<std::byte *>(buffers[0]));
  });
}

const RegisteredCall
    registered({.name = abi::calls::fill, .minIns = 0, .maxIns = 0, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
