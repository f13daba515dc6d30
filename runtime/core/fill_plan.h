// What a `fill` writes.
#ifndef SHEAF_RUNTIME_CORE_FILL_PLAN_H
#define SHEAF_RUNTIME_CORE_FILL_PLAN_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// The element that the parameters of a `fill` name, in the low bytes. Errors: they name two.
Result<uint64_t> readFillElement(CallSite &site);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_FILL_PLAN_H
