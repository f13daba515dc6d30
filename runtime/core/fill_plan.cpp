// Reads the parameters of a `fill`.
#include "runtime/core/fill_plan.h"

#include "runtime/core/convert.h"

namespace sheaf::rt {

Result<uint64_t> readFillElement(CallSite &site) {
  bool isInteger = site.params.has("value_int");
  if (isInteger && site.params.has("value"))
    return Status::invalid("it has both value and value_int");
  ExactNumber number = isInteger ? ExactNumber::fromInteger(site.params.integer("value_int", 0))
                                 : ExactNumber::fromDouble(site.params.number("value", 0));
  uint64_t element = 0;
  writeElement(site.outs[0].shape.type, number, !isInteger, &element, {});
  return element;
}

} // namespace sheaf::rt
