// The table of the host's calls.
#ifndef SHEAF_RUNTIME_HOST_REGISTRY_H
#define SHEAF_RUNTIME_HOST_REGISTRY_H

#include "runtime/core/call_table.h"

namespace sheaf::rt::host {

/// The calls of runtime/host/calls.
CallTable &calls();

/// A call of the host's.
struct RegisteredCall : rt::RegisteredCall {
  RegisteredCall(const CallTraits &traits, Bind bind) : rt::RegisteredCall(calls(), traits, bind) {}
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_REGISTRY_H
