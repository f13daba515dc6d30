// Reads and checks a `cast`.
#ifndef SHEAF_RUNTIME_CORE_CAST_RULES_H
#define SHEAF_RUNTIME_CORE_CAST_RULES_H

#include "runtime/core/device.h"
#include "runtime/core/element_format.h"

namespace sheaf::rt {

/// The parameters of a cast. Errors: dims that differ.
inline Result<CastRules> readCast(CallSite &site) {
  CastRules rules;
  rules.isSaturating = site.params.flag("saturate", true);
  rules.powerRounding =
      static_cast<PowerRounding>(site.params.choice("round", {"up", "down", "nearest"}, 0));
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(), " must have equal dims");
  return rules;
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CAST_RULES_H
